/* The selection of texts and their order: the filters, and the address that stores them. */
const reportChoice = (() => {
  const NAMES = ["search", "system", "compare", "verdict", "category", "size", "seen", "predicate", "changed", "sort"];
  const AT_ONCE = 4; // chunks that are unpacked together by a search
  const FAULTS = { fault: (code) => code > 1, omission: (code) => code === 2 || code === 4, hallucination: (code) => code >= 3 };

  /** From an address such as `#/texts?system=T5&verdict=omission`. */
  function read(hash) {
    const parameters = new URLSearchParams(hash.split("?")[1] || "");
    return Object.fromEntries(NAMES.map((name) => [name, parameters.get(name) || ""]));
  }

  function write(choice) {
    const set = NAMES.filter((name) => choice[name]).map((name) => [name, choice[name]]);
    return `#/texts${set.length ? `?${new URLSearchParams(set)}` : ""}`;
  }

  /** The rows that pass every filter but the search, in the order of the file. */
  function filter(choice, data, summary) {
    const { system, input, verdict, category, size, seen, broken, mended } = data.columns;
    const wanted = summary.systems.indexOf(choice.system);
    const group = data.categories.indexOf(choice.category);
    const predicate = data.predicates.indexOf(choice.predicate);
    const code = reportData.VERDICTS.indexOf(choice.verdict);
    const isFault = FAULTS[choice.verdict];
    const [change, label] = choice.changed.split(":");
    const direction = change === "better" ? 1 : -1;
    const higher = (summary.labels.find((one) => one.name === label) || {}).higher ? 1 : -1;
    const rows = [];
    for (let row = 0; row < data.count; row += 1) {
      if (choice.system ? system[row] !== wanted : summary.baselines[system[row]]) continue;
      if (choice.verdict === "none" ? verdict[row] !== 0 : choice.verdict && !(isFault ? isFault(verdict[row]) : verdict[row] === code)) continue;
      if (choice.category && category[input[row]] !== group) continue;
      if (choice.size && size[input[row]] !== Number(choice.size)) continue;
      if (choice.seen && seen[input[row]] !== (choice.seen === "seen" ? 1 : 2)) continue;
      if (choice.predicate && (predicate < 0 || !data.hasFault(row, predicate))) continue;
      if (change === "broken" && !broken[row]) continue;
      if (change === "mended" && !mended[row]) continue;
      if (label && !(direction * higher * difference(row, label, partnerOf(row, data, summary), data) > 1e-6)) continue;
      rows.push(row);
    }
    return rows;
  }

  function partnerOf(row, data, summary) {
    const old = summary.partners[data.columns.system[row]];
    return old === undefined ? undefined : data.rowOf(old, data.columns.input[row]);
  }

  function difference(row, label, other, data) {
    return other === undefined ? NaN : data.scores[label][row] - data.scores[label][other];
  }

  /** The order of texts on opening: those with a fault first, with the most faults on top and of
      equals the surest; then the OK ones, the least sure first; then those without a verdict.
      `worst_first` of texts.py is the same. */
  function badness(row, { columns, confidence }) {
    const sure = Number.isNaN(confidence[row]) ? 1 : confidence[row];
    if (columns.verdict[row] > 1) return -columns.missing[row] - columns.unsupported[row] - sure;
    return columns.verdict[row] === 1 ? 1 + sure : 3;
  }

  /** Rows in the chosen order; rows without a value come last, ties keep the order of the file. */
  function sort(rows, choice, data, summary) {
    const [by, label] = (choice.sort || "faults").split(":");
    const higher = (summary.labels.find((one) => one.name === label) || {}).higher === false ? -1 : 1;
    const compared = summary.systems.indexOf(choice.compare);
    const keys = {
      faults: (row) => badness(row, data),
      worst: (row) => higher * data.scores[label][row],
      best: (row) => -higher * data.scores[label][row],
      missing: (row) => -data.columns.missing[row],
      unsupported: (row) => -data.columns.unsupported[row],
      unsure: (row) => data.confidence[row],
      lost: (row) => higher * difference(row, label, partnerOf(row, data, summary), data),
      apart: (row) => -Math.abs(difference(row, label, data.rowOf(compared, data.columns.input[row]), data)),
    };
    if (!(by in keys) || (label && !(label in data.scores))) return rows;
    const values = new Float64Array(rows.length);
    rows.forEach((row, place) => {
      const key = keys[by](row);
      values[place] = Number.isNaN(key) ? Infinity : key;
    });
    const places = Uint32Array.from(rows.keys());
    places.sort((one, other) => (values[one] < values[other] ? -1 : values[one] > values[other] ? 1 : one - other));
    return Array.from(places, (place) => rows[place]);
  }

  /** Which of the rows have the words in their text, id or data; a few chunks at a time, so that the
      page stays at hand. `isCurrent` says whether anybody still wants to know. */
  async function search(rows, words, data, isCurrent, tell) {
    const wanted = words.toLocaleLowerCase();
    const inputs = new Set();
    const found = new Set();
    const wholes = [...Array(data.inputChunkCount).keys()].map((number) => [number, data.inputWords, inputs]);
    const parts = [...new Set(rows.map((row) => Math.floor(row / data.chunkSize)))].map((number) => [number, data.textWords, found]);
    const steps = [...wholes, ...parts];
    for (let done = 0; done < steps.length; done += AT_ONCE) {
      await Promise.all(steps.slice(done, done + AT_ONCE).map(async ([number, read, into]) => {
        (await read(number)).forEach((one, place) => { if (one.includes(wanted)) into.add(number * data.chunkSize + place); });
      }));
      if (done % (4 * AT_ONCE) === 0) await nextTask();
      if (!isCurrent()) return null;
      tell(done / steps.length);
    }
    return rows.filter((row) => found.has(row) || inputs.has(data.columns.input[row]));
  }

  function nextTask() {
    return new Promise((resolve) => { setTimeout(resolve, 0); });
  }

  return { NAMES, read, write, filter, sort, search, nextTask };
})();
