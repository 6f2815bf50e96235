// Runs before the page is drawn, so that it never flashes in the other colour.
const kept = localStorage.getItem("memnn theme");
if (kept) document.documentElement.dataset.theme = kept;
