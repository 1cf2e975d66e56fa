// CSV in the browser, to show what a file has before it is sent. The server reads and checks it again.

const KINDS = ["text", "markdown", "image", "audio", "video", "link"];
const COLUMNS = ["name", "kind", "text", "url", "alt"];

/** The records of a CSV text with the line each begins on; quotes may hold commas and lines. */
export function parse(text) {
  const records = [];
  let [field, fields, quoted, line, began] = ["", [], false, 1, 1];
  const end = () => {
    fields.push(field);
    if (fields.some((one) => one !== "")) records.push({ line: began, fields });
    [field, fields] = ["", []];
  };
  const letters = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at];
    if (letter === "\n") line++;
    if (quoted) {
      if (letter === '"' && letters[at + 1] === '"') field += letters[++at];
      else if (letter === '"') quoted = false;
      else field += letter;
    } else if (letter === '"' && field === "") quoted = true;
    else if (letter === ",") {
      fields.push(field);
      field = "";
    } else if (letter === "\n") {
      end();
      began = line;
    } else field += letter;
  }
  end();
  return records;
}

/** Items of a CSV text, and what is wrong with it, by line. */
export function readItems(text) {
  const [head, ...rest] = parse(text);
  const columns = (head?.fields ?? []).map((name) => name.trim().toLowerCase());
  if (!columns.includes("name")) return { items: [], errors: ["line 1: a column called name is needed"] };
  const errors = columns.filter((name) => !COLUMNS.includes(name)).map((name) => `line 1: there is no column ${name}; there are ${COLUMNS.join(", ")}`);
  const seen = new Set();
  const items = rest.map(({ line, fields }) => {
    const item = Object.fromEntries(columns.map((name, place) => [name, fields[place] ?? ""]));
    if (fields.length > columns.length) errors.push(`line ${line}: it has ${fields.length} fields, and there are ${columns.length} columns`);
    if (!item.name.trim()) errors.push(`line ${line}: the name is missing`);
    else if (seen.has(item.name)) errors.push(`line ${line}: ${item.name} is there twice`);
    if (item.kind && !KINDS.includes(item.kind)) errors.push(`line ${line}: there is no kind ${item.kind}; there are ${KINDS.join(", ")}`);
    seen.add(item.name);
    return item;
  });
  return { items, errors };
}
