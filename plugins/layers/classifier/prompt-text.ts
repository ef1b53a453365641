import { type Chat, isChatFormat, type Prompt } from 'deflector'

/**
 * What the user said last. Results of tools are not the user's words: in an agent's loop the turn before them counts, so
 * that all calls of one task get one route. `undefined` where no turn has text.
 */
export async function lastWords(prompt: Prompt): Promise<string | undefined> {
  if (!isChatFormat(prompt.dialect)) return undefined
  // The very text that the semantic cache compares, so that both share its vector.
  const text = prompt.dialect.lastTurn?.(prompt.body)?.text ?? textIn(await prompt.chatInTurns())
  return text === undefined || text.trim() === '' ? undefined : text
}

function textIn({ turns }: Chat): string | undefined {
  for (const { role, blocks } of turns.toReversed()) {
    if (role !== 'user') continue
    const texts = blocks.flatMap(block => (block.type === 'text' && block.text.trim() !== '' ? block.text : []))
    const typed = texts.filter(text => !isElement(text))
    if (typed.length > 0) return typed.join('\n')
    if (texts.length > 0 && !blocks.some(({ type }) => type === 'tool_result')) return texts.join('\n')
  }
  return undefined
}

/** Elements in which agents wrap what the user typed. */
const TYPED = /^(?:task|feedback|answer|question|user_\w{1,16})$/i

/** One element from its first to its last letter: agents put reminders and facts beside the user's words in such blocks. */
function isElement(text: string): boolean {
  const whole = text.trim()
  const name = /^<([a-z][\w.-]*)(?:\s[^<>]*)?>/i.exec(whole)?.[1]
  if (name === undefined || TYPED.test(name)) return false
  const end = `</${name}>`
  return whole.indexOf(end) === whole.length - end.length
}
