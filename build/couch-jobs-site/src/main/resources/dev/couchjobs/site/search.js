// Searches the sections of searchIndex, which the first search loads.

// Sections that have all words; a word of the page's title or the heading counts more than one of the text.
function find(sections, query) {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) {
    return [];
  }
  return sections
    .map((section) => ({ section, score: score(section, words) }))
    .filter((found) => found.score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, 20)
    .map((found) => found.section);
}

function score(section, words) {
  let sum = 0;
  for (const word of words) {
    const times = section.text.toLowerCase().split(word).length - 1;
    const points =
      (section.heading.toLowerCase().includes(word) ? 8 : 0) +
      (section.page.toLowerCase().includes(word) ? 6 : 0) +
      Math.min(times, 5);
    if (points === 0) {
      return 0;
    }
    sum += points;
  }
  return sum;
}

// The text around the first word.
function excerpt(text, query) {
  const at = Math.max(0, text.toLowerCase().indexOf(query.toLowerCase().trim().split(/\s+/)[0]));
  const from = at < 60 ? 0 : text.indexOf(" ", at - 60) + 1;
  return (from > 0 ? "… " : "") + text.slice(from, from + 160);
}

function attach(root) {
  const input = document.getElementById("search");
  const list = document.getElementById("found");
  let loading = false;

  function show() {
    if (typeof searchIndex === "undefined") {
      load();
      return;
    }
    const found = find(searchIndex, input.value);
    list.replaceChildren(...found.map((section) => item(section)));
    if (found.length === 0) {
      list.append(Object.assign(document.createElement("li"), { textContent: "Nothing found" }));
    }
    list.hidden = input.value.trim() === "";
  }

  function load() {
    if (!loading) {
      loading = true;
      document.head.append(
        Object.assign(document.createElement("script"), { src: root + "search-index.js", onload: show }),
      );
    }
  }

  function item(section) {
    const link = document.createElement("a");
    link.href = root + section.url;
    link.textContent =
      section.heading === "" || section.heading === section.page ? section.page : section.page + ": " + section.heading;
    const text = document.createElement("p");
    text.textContent = excerpt(section.text, input.value);
    const element = document.createElement("li");
    element.append(link, text);
    return element;
  }

  input.addEventListener("focus", load);
  input.addEventListener("input", show);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      list.hidden = true;
    }
  });
}

if (typeof document !== "undefined") {
  attach(document.currentScript.dataset.root);
}
