"""Told sentences that answer none of the told questions: written ones, and ones from templates.

Run it to write `others.txt` again: the same seed gives the same sentences. The people of
`told.tsv`, `dev/told.tsv` and the unanswerable questions appear in no template, so no sentence
from one can be an answer; the written ones may name them, but say something else about them.
"""

from __future__ import annotations

import random
from pathlib import Path

SIZE = 2_000
FILE = Path(__file__).parent / "others.txt"

NAMES = """Agnes Boris Celia Dmitri Elif Farid Gloria Hector Ivan Joan Kofi Lucia Marek Noemi Otto
Priska Quentin Rita Sven Tilda Ulf Vera Walter Xenia Yann Zdenka Alba Bashir Corinne Dario Esther
Fabio Gwen Ilias Jelena Kenji Liam Mona Nils Oona Pavel Rosalind Stefan Teresa Umar Valentin Wanda
Yasmin Zack Astrid Blanca Cem Delia Enzo Frieda Goran Helmi Imran Jutta Katja Lorenzo Mira Nadir
Orla Pascal Ronja Selma Thierry Ursula Vito Wilma"""

THINGS = """cake tin|sleeping bag|thermos flask|hairdryer|old radio|globe|tool belt|paint tray
bird feeder|jigsaw puzzle|yoga mat|sledge|extension cable|glue gun|tape measure
hot-water bottle|sun hat|cool box|fondue set|waffle iron|coffee grinder|bread knife|salad bowl
tea strainer|egg timer|ironing board|laundry basket|stapler|hole punch|wrapping paper
label maker|tripod|external hard drive|record player|guitar case|music stand|dartboard
football pump|roof rack|tow rope|ice scraper|watering can|plant spray|hammock|parasol|bird cage
cat basket|dog leash|fish food|horse blanket|magnifying glass|rolling pin|pasta machine
cheese grater|soup ladle|pressure cooker|hand mixer|picture frame|crayon box|paper cutter
desk lamp|alarm clock|door wedge|shopping trolley|step stool|spirit level|wood glue|wire brush
bicycle bell|child seat|swim ring|frisbee|croquet set|baby monitor|high chair|toy castle"""

PLACES = """on the shelf in the laundry room|in the lower cupboard of the pantry
behind the sofa|on the hook beside the mirror|in the cardboard box by the freezer
in the boot room|on the piano|in the trunk on the landing|under the workbench
in the bottom drawer of the sideboard|on the top shelf of the utility room|in the summer house
in the wicker basket by the stove|at my mother-in-law's|in the locker at the gym
in the storage unit|on the porch|in the caretaker's room|behind the curtain in the studio
in the grey filing cabinet|on the shelf above the dryer|in the chest at the foot of the bed
in the boathouse|in the crate by the water butt"""

TOWNS = """Leeds Graz Nantes Turin Valencia Utrecht Malmö Lausanne Tampere Brno Split Gdańsk Cork
Braga Ioannina Plovdiv Szeged Tartu Liège Dresden Bologna Seville Toulouse Bristol Aberdeen
Stavanger Uppsala Innsbruck Maribor Košice Cluj Kaunas"""

JOBS = """translator|roofer|dental nurse|surveyor|tram driver|tax adviser|florist|bookbinder
cook|graphic designer|welder|paramedic|tour guide|tax clerk|stonemason|lab technician
sound engineer|ship's mechanic|music teacher|forester|watchmaker|beekeeper|ski instructor
social worker"""

DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
MONTHS = """January February March April May June July August September October November
December"""
NTH = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth twenty-first twenty-second
twenty-fourth twenty-sixth twenty-eighth"""
HOURS = """eight|half past eight|a quarter past nine|ten|half past ten|eleven|noon|one
half past two|three|a quarter to four|four|half past six|a quarter past seven|half past seven
eight in the evening"""

FOODS = """kiwi fruit|shellfish|celery|walnuts|hazelnuts|sesame|soya|wheat|mustard|lupins|eggs
sulphites|almonds|oysters|cashews|strawberries|pineapple|buckwheat"""
DISHES = """lentil soup|beetroot salad|fish pie|ratatouille|potato gratin|mushroom risotto
chicken curry|onion tart|goulash|spinach soup|pea stew|moussaka|celery soup|cauliflower cheese
pumpkin soup|semolina pudding|rhubarb crumble|carrot cake|apple strudel|walnut bread"""
INGREDIENTS = """butter|flour|red lentils|sugar|grated cheese|chopped onions|ground almonds
breadcrumbs|cream|potatoes|leeks|parsnips"""
PETS = "parakeet|pony|gecko|guinea pig|terrier|spaniel|tabby|donkey|budgie|python|lamb|poodle"
PET_NAMES = """Biscuit Clover Domino Ember Fudge Ginger Hazel Indigo Jupiter Koko Lolly Mango Nugget
Olive Pickle Quill Rusty Sprout Truffle Waffle Ziggy Bramble Cosmo Dusty"""
PLANTS = """lavender|peonies|raspberry canes|leeks|broad beans|dahlias|gooseberry bush|fig tree
clematis|pumpkins|hydrangeas|garlic|chives|wisteria|plum tree|sweet peas|kale|rhubarb|asparagus
irises|beetroot|camellia|quince|blackcurrants"""
CARE = "planted out|cut back|fed|covered with straw|mulched|divided|tied up|thinned out"
SPORTS = """badminton|volleyball|squash|table tennis|water polo|floorball|curling|basketball
golf|bowls|cricket|rugby|ice hockey"""
EVENTS = """flower show|book fair|jumble sale|wine tasting|poetry reading|quiz night
blood drive|neighbourhood barbecue|lantern walk|fire drill|harvest supper|village run|open day
science fair|carnival meeting|photo exhibition|folk dance evening|clothes swap|repair café
charity auction|kite festival|puppet show|bake sale|town hall debate"""
VENUES = """in the fire station|at the youth centre|in the market hall|on the village green
at the community centre|in the old brewery|in the castle courtyard|at the sports club
in the botanical garden|at the harbour|in the town library|under the railway arches"""
SHOPS = """bike shop|fishmonger|shoe repair shop|garden centre|toy shop|stationer|fabric shop
hardware store|record shop|tea shop|travel agency|pet shop|bookshop|health food shop
second-hand shop|jeweller|key cutter|dry cleaner|ironmonger|delicatessen"""
LOCKS = """garden gate|bike shed|tennis court|boathouse|rehearsal room|staff toilet|sports hall
archive|stock room|bell tower|wine cellar|copy room|parcel locker|roof terrace|summer camp hut"""
EXAMS = """chemistry|geography|Latin|statistics|biology|history|physics|economics|Spanish
music theory|sailing|first aid|law|anatomy|drawing"""
BUYS = """a bookshelf|an armchair|a raincoat|a food processor|a floor lamp|a set of pans
a duvet|a rucksack|a tablet|a coffee table|a bread maker|a winter coat|a keyboard
a fountain pen|a mattress|a wetsuit|a bread bin|a wooden sledge"""
TEAMS = """sales team|marketing team|works council|trainees|legal department|design team
auditors|support team|warehouse team|editors"""
ROOMS = "big hall|studio|training room|terrace|library corner|quiet room|test lab|lounge"
COSTS = """gym membership|newspaper subscription|phone contract|streaming service
car park space|music school|storage unit|cloud backup|allotment|house cleaning|lottery ticket
window insurance"""
COLOURS = "turquoise|olive green|dark red|violet|navy blue|mustard yellow|coral|silver grey"
BOOKS = """a thriller set in Iceland|a history of salt|a book about trees
a biography of a pianist|a novel about two sisters|a travel book on Patagonia
a guide to birdsong|a cookery book from Lebanon|a collection of short stories
a book on chess openings|a comic about astronauts"""
LEARNING = """to juggle|to sail|sign language|to play the harp|to knit|Greek|Japanese|archery
calligraphy|to dance the tango|photography|Welsh|pottery|fencing|carpentry"""


def options(text: str) -> list[str]:
    """The choices of a slot: one a line or between bars."""
    return [choice for line in text.splitlines() for choice in line.split("|")]


def once(rng: random.Random, *slots: list[str]) -> list[tuple[str, ...]]:
    """One row for each choice of the first slot (nobody has two favourite colours)."""
    return [(first, *(rng.choice(slot) for slot in slots[1:])) for first in slots[0]]


def templated(rng: random.Random) -> list[str]:
    """Every template once for each choice of its first slot."""
    names, towns, months, days = NAMES.split(), TOWNS.split(), MONTHS.split(), DAYS.split()
    hours, pet_names = options(HOURS), PET_NAMES.split()
    dates = [f"the {nth} of {month}" for nth in NTH.split() for month in months]
    numbers = [str(n) for n in range(1200, 9000, 37)]
    amounts = [str(n) for n in range(14, 190, 3)]
    years = [str(year) for year in range(1931, 2019)]
    houses = [str(n) for n in range(2, 190)]
    streets = "Oak Row|Hill Road|Quay Street|Station Lane|Rose Walk|Canal Street|Park Avenue"
    templates: list[tuple[str, tuple[list[str], ...]]] = [
        ("The {} is {}", (options(THINGS), options(PLACES))),
        ("{} lives at {} {}", (names, houses, options(streets))),
        ("{} works as a {} in {}", (names, options(JOBS), towns)),
        ("{} was born in {}", (names, years)),
        ("{} cannot tolerate {}", (names, options(FOODS))),
        ("{}'s favourite dish is {}", (names, options(DISHES))),
        ("{}'s favourite colour is {}", (names, options(COLOURS))),
        ("{}'s {} is called {}", (names, options(PETS), pet_names)),
        ("{} plays {} every {}", (names, options(SPORTS), days)),
        ("{} is reading {}", (names, options(BOOKS))),
        ("{} would like to learn {}", (names, options(LEARNING))),
        ("{} bought {} for {} euros", (names, options(BUYS), amounts)),
        ("{} has an appointment with the hairdresser on {}", (names, dates)),
        ("{} owes me {} euros", (names, amounts)),
        ("{} went to school in {}", (names, towns)),
        ("{}'s shoe size is {}", (names, [str(n) for n in range(36, 47)])),
        ("{} drives to {} on {}", (names, towns, dates)),
        ("{} returned the {} to the neighbours on {}", (names, options(THINGS), days)),
        ("{} comes home at {} on {}s", (names, hours, days)),
        ("{}'s mother grew up in {}", (names, towns)),
        ("{} gave me {} as a present", (names, options(BUYS))),
        ("The {} takes place {} on {}", (options(EVENTS), options(VENUES), dates)),
        ("The {} opens at {} on weekdays", (options(SHOPS), hours)),
        ("The door code of the {} is {}", (options(LOCKS), numbers)),
        ("The {} exam is on {} at {}", (options(EXAMS), dates, hours)),
        ("The {} needs {} grams of {}", (options(DISHES), amounts, options(INGREDIENTS))),
        ("The {} should be {} in {}", (options(PLANTS), options(CARE), months)),
        ("The train to {} leaves at {} from platform {}", (towns, hours, list("123456"))),
        ("The {} costs {} euros a month", (options(COSTS), amounts)),
        ("The {} booked the {} for {}", (options(TEAMS), options(ROOMS), dates)),
    ]
    return [form.format(*row) for form, slots in templates for row in once(rng, *slots)]


def others(seed: int = 0) -> list[str]:
    """The written sentences and as many templated ones as make SIZE, in one shuffled order."""
    rng = random.Random(seed)
    written = WRITTEN.strip().splitlines()
    drawn = rng.sample(list(dict.fromkeys(templated(rng))), SIZE - len(written))
    lines = written + drawn
    rng.shuffle(lines)
    return lines


WRITTEN = """
The shed needs a new roof before the autumn
The garage door squeaks when it is cold
Anna's new flat has three rooms
My sister called twice yesterday
The fridge makes a humming noise at night
The blue flowerpot by the gate has a crack
Mrs Keller waters her lawn in the evening
Grandma used to work in a post office
Grandma's knitting basket is beside her armchair
The bicycle with the basket belongs to the neighbours
My bicycle got a new chain in spring
Doctor Moreau has moved the practice to Mill Lane
The bin lid was blown off by the wind
Tom plays tennis with his colleagues
Tom's brother is called Henning
The dog barks at the postman
The dog was a gift from a shelter
The boiler room smells of damp
Marta's kitchen was renovated last year
The attic window does not close properly
The station café sells good sandwiches
Lisbon was sunny when we were there in spring
The architects want a glass front
Karim lives on the fifth floor
The cat scratched the new armchair
Our cat weighs five kilos
The storm tore down two fences
I gave blood at the town hall in May
The doctor's waiting room was full this morning
Lena's brother is a pilot
Lena's dress was sewn in Milan
September was unusually cold last year
The greenhouse window has to be replaced
Tomato soup is on the menu in the canteen
The school has a new headmistress
The school bus stops at the corner of Elm Street
Ben got a new schoolbag
Mr Okafor has three daughters
The car radio only plays one station
The car was washed on Saturday
Petrol has become cheaper this week
The tyre shop is closed for holidays
The pancake restaurant on the square is expensive
Eggs are cheaper at the farm shop
Our oven was made in Italy
Uncle Viktor collects old postcards
Rotterdam has a famous market hall
Vienna was full of tourists at Easter
Paula sings in a rock band
The hallway needs a new carpet
The coats were bought in the winter sale
The plumber charged us two hundred euros
Nadia is two years younger than her brother
The youth orchestra travelled to Prague
My passport photo looks terrible
The lawn is full of daisies
Felix won a prize for his drawing
The dresser is an heirloom from my great-aunt
The neighbours have a trampoline
The neighbours complained about the noise
Jonas lost his phone at the festival
The tent pegs are bent
Our wedding took place in a small chapel
August was too hot for hiking
The second floor has no kitchen
Sophie's sister studies medicine
The hospital has a new car park
Hamburg is two hours away by train
The office plants are watered by the cleaner
The office moved to the river last year
Rabbits got into the vegetable patch
Dad is building a model railway
Dad snores terribly
The kitchen sink is blocked again
The kitchen was painted by my brothers
Brittany has wonderful beaches, says my boss
The library is being renovated
Emil wants to become a cook
Skiing was cancelled in January for lack of snow
The rose bed is full of weeds
Hana has two cats
Portuguese tiles decorate the bathroom of my aunt
The guest room has its own shower
The project has eleven members
The project was Fatima's idea
Electricity was off for three hours on Monday
The vet moved to a bigger practice
The pool is closed on public holidays
Grandma's cake tin is rusty
The green notebook was a present from my niece
Oscar wears a leather jacket
Motorbikes are not allowed in the forest
The heating makes a knocking sound
The piano was built in Leipzig
Yuki has a sister in Osaka
Platform eight is being rebuilt
The greenhouse was a bargain
The children built a tree house
The children are tired after the trip
Aunt Rosa travels with three suitcases
The copper roof of the tower shines green
The insurance company has changed its name
Malik plays handball
The passenger seat can be folded
Greta has bought a sailing boat
The bank has closed its branch in the village
Pedro cooks very well
Our new colleague sits by the window
The tablecloth is a present from Portugal
Easter eggs were hidden in the hedge
The windows on the north side are dirty
The bedroom wardrobe has a mirror
The hamster cage is cleaned on Fridays
The theatre is showing a comedy
My coat has lost a button
Julia's husband is a gardener
White lilies make me sneeze
The tap in the yard drips
The baker sells a good rye bread
Ravi's bicycle was stolen
The marathon runs past our house
The cellar was flooded in the spring
The red tag came off the blue suitcase
The babysitter studies biology
The washing machine stands in the bathroom
Mr Petrov lives on the ground floor
Rain is forecast for the whole weekend
The picnic blanket is torn
Nora works in a cheese shop
Tax law is harder than I thought
My glasses were made by the optician in Bridge Street
My grandfather was a carpenter
The front garden has a new fence
Simon has toothache
The Blue Parrot has new owners
The stairs creak
The bulbs of the tulips arrived yesterday
Ines is in the fourth class
The telescope at the observatory is open to visitors
The kitchen windowsill was scratched by the cat
My brother's farm has forty cows
The old boss retired with a big party
The soup kitchen needs volunteers
Clara dances ballet
Bornholm is known for its smoked herring
The church hall has a leaking roof
The choir has forty members
Arthur drives a taxi at weekends
My aunt is learning to swim
The puppy has blue eyes
My slippers came from Finland
The chess club has a new trophy
Bread was sold out this morning
The pharmacy has a night bell
Samira's brother repairs radios
Huber's garage sells used cars
The mayor was at the football match
The old bridge was too narrow for lorries
The kindergarten has a big sandpit
Leo lost his first tooth
The power cut lasted two hours
Mrs Albrecht speaks five languages
The contract has forty pages
The canary was a gift from the hairdresser
The desk was too big for the study
The museum shop sells nice cards
Daniel's car is at the repair shop
The flu is going round at school
Strawberries were expensive this year
The balcony faces south
Amira has moved to the coast
The report was printed in colour
Frau Lorenz likes gardening
The tide table is pinned to the cork board
Our allotment is plot seventeen
The tram line to the airport is closed in July
Agnes gave up smoking two years ago
The coffee machine has to be descaled every month
Boris repaired the doorbell
The cake for the office party was a lemon tart
My parking permit is valid in zone C
The old oak was struck by lightning
We saw a kingfisher by the canal
The chemist on the corner has closed down
The rowing club is looking for a coach
Celia's twins go to different schools
The bakery has stopped taking cards
The fence was painted brown
The honey is from a beekeeper in the next village
The cinema shows old films on Mondays
The roof gutter is blocked with leaves
The blue car in the yard belongs to a customer
The clock in the hall runs five minutes fast
My nephew collects beer mats
The castle tour is in English at eleven
The lighthouse can be visited in summer
Elif's parents run a restaurant
The freezer was defrosted last week
I have read this novel twice
The mattress is too soft for my back
The sauna is heated on Sundays
The village shop sells stamps
Gloria's surname used to be Winter
My godson starts an apprenticeship
The garden gate needs oil
The camera takes two batteries
The violin was repaired in Cremona
The radio tower can be seen from our roof
The cookery course was fully booked
The milkman no longer comes to our street
The eldest of the cousins is forty
The walnut tree carries fruit every second year
Hector has a summer house by a lake
The lift stops between floors now and then
The fishing licence costs forty euros
The carpet was cleaned by a firm
My niece speaks fluent Danish
The letter box has no name on it
Three chairs are missing in the meeting hall
The curtains are too long
The old barn was turned into a workshop
There are bats in the church tower
The ice cream van comes by at four
I found a glove in the park
The bus driver knows all the children by name
The bathroom scales are broken
Ivan has a collection of maps
The flea market is on the meadow
The bench under the lime tree is new
The map of the park is wrong
Joan swims a kilometre every morning
The jacket with the hood is too small now
The candles on the cake were blown out by the twins
The courier left a card
Kofi taught me to make groundnut stew
The cushion covers can be washed at thirty degrees
The stove in the cabin burns wood
Lucia wrote a letter to the newspaper
The old phone still has photos on it
The night train has no dining car
Marek found a coin from 1890
The pond froze over in December
Noemi was vaccinated against tetanus
The parish fair has a merry-go-round
The tower clock strikes every quarter of an hour
Otto's hat blew into the river
The paint in the tin has dried up
The pear tree has a fungus
The inn by the pass has ten beds
Quentin makes his own candles
The quilt took two years to sew
Rita waits tables at the harbour
The sledges were bought second-hand
Sven's boat is called the Seagull
The tap water here is very hard
Tilda has curly hair
The traffic light at the crossing is broken
Ulf knows a lot about mushrooms
The umbrella stand is made of brass
Vera tells the best ghost stories
The vase was glued together
Walter keeps bees behind the chapel
The watch stopped at ten to three
Xenia's father was a sea captain
The yard is swept on Saturdays
Yann bakes his own baguettes
The zip of the sleeping bag is stuck
Zdenka has three brothers
Our street was renamed in 1990
The butcher makes his own sausages
The ceiling lamp in the study flickers
The dance course ends with a ball
The film festival lasts ten days
The gas bottle is nearly empty
The goose on the pond hisses at walkers
The hairdresser has a new apprentice
The headlamp on the left is weak
The jazz concert was moved indoors
The kite got caught in the poplar
The lawyer's letter came by registered post
The leather sofa was bought at an auction
The market square is paved with cobblestones
The microwave turns the wrong way
The moss on the roof should be scraped off
The needle of the compass is stuck
The newspaper comes too late for breakfast
The nursery rhyme was sung by my great-grandmother
The old mill has a restaurant now
The oven glove has a hole
The owl in the barn has two chicks
The peaches from the market were sour
The pepper mill is empty
The pillow smells of lavender
The play area is closed for repairs
The pocket watch was my great-grandfather's
The postman's name is Olaf
The puppet theatre visits in spring
The radishes were eaten by snails
The rain barrel is overflowing
The rehearsal was too short
The ring was found in the sand
The river path is muddy
The rope swing was taken down
The rug came from Marrakesh
The sandbox needs fresh sand
The scarf was knitted by Corinne
The second-hand shop accepts toys
The shower curtain is mouldy
The ski lift opens in December
The skirting board came loose
The snowdrops are already flowering
The spare wheel is flat
The sports field is watered at night
The stew tasted better on the second day
The stork is back on the chimney
The sugar has become lumpy
The sundial is wrong in summer time
The swing in the park is for toddlers
The tailor shortened my trousers
The tap dancer lives upstairs
The thermos keeps tea warm for six hours
The toll road is free for motorcycles
The tower has two hundred steps
The toy train needs a transformer
The trout farm sells smoked fish
The tunnel is closed at night
The veranda was built by Pavel
The vineyard offers tastings
The violets smell wonderful
The waiting list has thirty names
The wall clock came from the Black Forest
The water lilies are protected
The weathercock points west
The well in the courtyard is dry
The wheelbarrow has a flat tyre
The wind chimes annoy the neighbours
The wooden horse was carved by Stefan
The woodpile is full of mice
The zoo has a baby gorilla
The blanket on the sofa is from Peru
A hedgehog lives under the woodpile
A heron stole the goldfish
There is a hole in the blue bucket
There was frost last night
Someone left the light on in the cellar
Somebody rang at midnight
Nobody has claimed the lost jumper
Everyone brought a salad to the party
Two eggs were cracked in the box
Half of the seeds never came up
The last bus was ten minutes late
I dreamed about a lighthouse
I promised Teresa to help with the move
I owe Stefan a bottle of wine
I signed up for a first aid course
I would like to repaint the bench
We planted garlic next to the carrots
We won a basket of fruit in the raffle
We should buy a bigger rucksack
"""


if __name__ == "__main__":
    FILE.write_text("\n".join(others()) + "\n", encoding="utf-8")
