/** Text from outside for a terminal: on one line, without control characters, in so many columns. */

/** Takes two columns. */
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff01-\uff60]/u
/** Takes none: it joins the character before it. */
const JOINED = /\p{Mark}|\u200d|\ufe0f/u

const widthOf = (character: string): number => (JOINED.test(character) ? 0 : WIDE.test(character) ? 2 : 1)

/** Control characters would move the cursor, or worse; direction marks would turn the line around. */
const plain = (text: string): string =>
  text.replace(/[\p{Control}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu, ' ').trim()

/** On one line of at most `columns`; what is cut is shown by an ellipsis. */
export function shortened(text: string, columns: number): string {
  const [first = '', second] = linesOf(plain(text), columns)
  if (second === undefined) return first
  const [cut = ''] = linesOf(plain(text), columns - 1, true)
  return `${cut}…`
}

/** The columns that a line takes. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) columns += widthOf(character)
  return columns
}

/** Filled with spaces to so many columns. */
export function padded(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, columns - columnsOf(text)))
  return side === 'left' ? text + spaces : spaces + text
}

/** On as many lines of at most `columns` as it takes, broken between words where that is possible. */
export const wrapped = (text: string, columns: number): string[] => linesOf(plain(text), columns)

function linesOf(text: string, columns: number, anywhere = false): string[] {
  const lines: string[] = []
  let line = ''
  let width = 0
  for (const character of text) {
    if (width + widthOf(character) > columns) {
      const space = anywhere || character === ' ' ? -1 : line.lastIndexOf(' ')
      lines.push((space < 0 ? line : line.slice(0, space)).trimEnd())
      line = space < 0 ? '' : line.slice(space + 1)
      width = 0
      for (const each of line) width += widthOf(each)
    }
    if (line === '' && character === ' ') continue
    line += character
    width += widthOf(character)
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line]
}
