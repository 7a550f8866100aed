/* The report's data blocks: columns to filter by, and chunks that are unpacked on demand. */
const reportData = (() => {
  const KINDS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array };
  const VERDICTS = [null, "OK", "omission", "hallucination", "hallucination+omission"];
  const STATUSES = ["unchecked", "stated", "missing", "contradicted", "left out"];
  const KEPT_CHUNKS = 48;
  const chunks = new Map();
  const haystacks = new Map();

  async function inflate(packed) {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).arrayBuffer();
  }

  async function unpack(packed) {
    return JSON.parse(new TextDecoder().decode(await inflate(packed)));
  }

  /** A chunk of records; the most recent ones are cached. */
  function chunk(name) {
    const known = chunks.get(name);
    chunks.delete(name);
    const made = known || unpack(document.getElementById(name).textContent);
    chunks.set(name, made);
    if (chunks.size > KEPT_CHUNKS) chunks.delete(chunks.keys().next().value);
    return made;
  }

  /** The searchable text of a chunk in lower case; all of it is cached, because it is small. */
  function words(name, pick) {
    if (!haystacks.has(name)) {
      const packed = document.getElementById(name).textContent;
      haystacks.set(name, unpack(packed).then((records) => records.map((record) => pick(record).toLocaleLowerCase())));
    }
    return haystacks.get(name);
  }

  /** Columns, names, and access to lines of the run. */
  async function open() {
    const index = await unpack(document.getElementById("index").textContent);
    const numbers = async ([kind, packed]) => new KINDS[kind](await inflate(packed));
    const columns = {};
    for (const [name, column] of Object.entries(index.columns)) columns[name] = await numbers(column);
    const scores = {};
    for (const [label, column] of Object.entries(index.scores)) scores[label] = await numbers(column);
    const confidence = await numbers(index.confidence);
    const known = (value) => (Number.isNaN(value) ? null : value);
    const rows = new Map();
    const inputs = index.ids.length;
    columns.system.forEach((system, row) => rows.set(system * inputs + columns.input[row], row));
    const byId = new Map();
    index.ids.forEach((id, input) => byId.set(id, [...(byId.get(id) || []), input]));

    return {
      columns, scores, confidence, ids: index.ids, categories: index.categories, predicates: index.predicates,
      count: columns.system.length,
      chunkCount: Math.ceil(columns.system.length / index.chunk),
      chunkSize: index.chunk,
      /** The row of a system's text on an input; undefined where it has none. */
      rowOf: (system, input) => rows.get(system * inputs + input),
      /** The row of a system's text by the input's id. */
      find: (system, id) => (byId.get(id) || []).map((input) => rows.get(system * inputs + input)).find((row) => row !== undefined),
      /** Whether a row has a fault in a predicate. */
      hasFault: (row, predicate) => columns.faults.subarray(row ? columns.fault_ends[row - 1] : 0, columns.fault_ends[row]).includes(predicate),
      input: async (number) => (await chunk(`inputs-${Math.floor(number / index.chunk)}`))[number % index.chunk],
      /** The words of a chunk's texts, and those of a chunk's inputs, to search in. */
      textWords: (number) => words(`texts-${number}`, ([text]) => text),
      inputWords: (number) => words(`inputs-${number}`, ([id, , , triples]) => [id, ...triples.map((triple) => triple.join(" | "))].join("\n")),
      inputChunkCount: Math.ceil(inputs / index.chunk),
      async line(row) {
        const texts = await chunk(`texts-${Math.floor(row / index.chunk)}`);
        const input = await this.input(columns.input[row]);
        const own = Object.fromEntries(Object.entries(scores).map(([label, column]) => [label, known(column[row])]));
        return unpackLine(input, texts[row % index.chunk], own, VERDICTS[columns.verdict[row]], known(confidence[row]));
      },
    };
  }

  /** Records of texts.py as a line of scores.jsonl. */
  function unpackLine(input, record, scores, verdict, confidence) {
    const [id, category, lang, triples, references] = input;
    const [text, mentions, facts, findings, verdicts, reasons, faults] = record;
    const entities = adequaComponents.entitiesOf(triples);
    const entity = (one) => (typeof one === "number" ? entities[one] : one);
    const triple = (one) => (typeof one === "number" ? triples[one] : one);
    return {
      id, category, lang, triples, references, text, scores, verdict, confidence, verdicts, reasons,
      mentions: mentions.map(([name, start, end, method, distance]) => ({ entity: entity(name), start, end, method, distance })),
      facts: facts.map(([one, status, sure, start, end]) => ({ triple: triple(one), status: STATUSES[status], confidence: sure, start, end })),
      findings: findings.map(([metric, kind, detail, one, name, start, end, sure, why]) => ({
        metric, kind: kind ? "hallucination" : "omission", detail, triple: triple(one), entity: entity(name), start, end, confidence: sure, why,
      })),
      faults: faults.map(([kind, why, metric]) => ({ kind, why, metric })),
    };
  }

  return { open, VERDICTS, isSupported: () => typeof DecompressionStream === "function" };
})();
