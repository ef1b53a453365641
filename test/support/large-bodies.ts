const MEGABYTE = 1 << 20

const filled = (item: (at: number) => string): string => {
  let text = item(0)
  for (let at = 1; text.length < MEGABYTE - 400; at++) text += `,${item(at)}`
  return text
}
const said = (content: string, more = ''): string =>
  `{"model":"m","messages":[{"role":"user","content":${content}}]${more}}`

/** Chat requests of a megabyte for the model `m`, in the shapes that a reader of JSON finds hardest. */
export const LARGE_BODIES: Readonly<Record<string, string>> = {
  'one string': said(`"${'lorem ipsum '.repeat(87_000)}"`),
  'one string of escapes': said(`"${'\\n\\u00e9'.repeat(130_000)}"`),
  'one base64 image': said(
    `[{"type":"image_url","image_url":{"url":"data:image/png;base64,${'iVBORw0KGgo'.repeat(95_000)}"}}]`,
  ),
  'thousands of turns': `{"model":"m","messages":[${filled(at => `{"role":"user","content":"${at} ${'word '.repeat(36)}"}`)}]}`,
  'small objects': said('"a"', `,"x":[${filled(at => `{"a":${at},"b":"c"}`)}]`),
  'one object of many keys': said('"a"', `,"x":{${filled(at => `"k${at}":${at}`)}}`),
  'a body of many keys': said('"a"', `,${filled(at => `"k${at}":${at}`)}`),
  'deep arguments': said('"a"', `,"x":${'{"a":'.repeat(20)}[${filled(at => `{"a":${at},"b":"c"}`)}]${'}'.repeat(20)}`),
  numbers: said('"a"', `,"x":[${filled(at => String(at * 7))}]`),
  'large integers': said('"a"', `,"x":[${filled(at => `1234567890123456789${at}`)}]`),
  'an endless number': said('"a"', `,"x":1e${'9'.repeat(MEGABYTE - 200)}`),
  'deep nesting': said('"a"', `,"x":${'['.repeat(500_000)}${']'.repeat(500_000)}`),
}
