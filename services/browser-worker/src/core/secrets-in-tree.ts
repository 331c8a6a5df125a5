const MASK = "[masked]";
const FIELD = /^\s*- (textbox|searchbox|spinbutton|combobox)\b/;

/** Whether a tree may show something that was typed: on a field's own line, or as text below it. Options of a choice are no such thing. */
export function showsValues(tree: string): boolean {
  let field = -1;
  return tree.split("\n").some((line) => {
    const indent = line.search(/\S/);
    if (field >= 0 && indent > field) return /^\s*- text: /.test(line);
    field = FIELD.test(line) ? indent : -1;
    return field >= 0 && line.includes(": ");
  });
}

/**
 * A page tree in which no text field shows one of the secrets: a field's value stands on its line, or on those below it.
 * @param secrets the values that fields for passwords have; null if they could not be read, and then every value is masked
 */
export function withoutSecrets(tree: string, secrets: readonly string[] | null): string {
  if (secrets?.length === 0) return tree;
  let field = -1;
  const lines = tree.split("\n").map((line) => {
    const indent = line.search(/\S/);
    if (FIELD.test(line)) field = indent;
    else if (indent <= field) field = -1;
    return field < 0 ? line : maskedLine(line, secrets);
  });
  return lines.join("\n");
}

function maskedLine(line: string, secrets: readonly string[] | null): string {
  if (secrets === null) return line.replace(/((?:\]|- \w+|"): )\S.*$/, `$1${MASK}`);
  return secrets.reduce((masked, secret) => {
    // The tree has white space as one space, and quotes what could be taken for its own signs.
    const shown = secret.replaceAll(/\s+/g, " ").trim();
    if (shown === "") return masked;
    const quoted = JSON.stringify(shown).slice(1, -1);
    return [`: "${quoted}"`, `: ${shown}`].reduce(
      (text, value) => (text.endsWith(value) ? `${text.slice(0, -value.length)}: ${MASK}` : text),
      masked,
    );
  }, line);
}
