// The stories of Figures 1 and 3 of the paper, a household, and what can be asked about them.

export const examples = [
  {
    title: "Joe and the milk",
    about: "Six sentences; the answer is in none of them.",
    story: [
      "Joe went to the kitchen.", "Fred went to the kitchen.", "Joe picked up the milk.",
      "Joe travelled to the office.", "Joe left the milk.", "Joe went to the bathroom.",
    ],
    questions: ["Where is the milk now?", "Where is Joe?", "Where was Joe before the office?"],
  },
  {
    title: "The ring",
    about: "Names it has never seen, understood from their context.",
    story: [
      "Bilbo travelled to the cave.", "Gollum dropped the ring there.", "Bilbo took the ring.",
      "Bilbo went back to the Shire.", "Bilbo left the ring there.", "Frodo got the ring.",
      "Frodo journeyed to Mount-Doom.", "Frodo dropped the ring there.", "Sauron died.",
      "Frodo went back to the Shire.", "Bilbo travelled to the Grey-havens.", "The End.",
    ],
    questions: ["Where is the ring?", "Where is Bilbo now?", "Where is Frodo now?"],
  },
  {
    title: "A household",
    about: "Sentences of any kind, and facts of the world that nobody told.",
    story: [
      "The ladder hangs behind the garage door.", "The rent is paid on the first of the month.",
      "The spare key lies under the flower pot.", "The spare key lies in the blue bowl.",
    ],
    questions: ["Where is the spare key?", "When is the rent paid?", "Where does milk come from?"],
  },
];
