import type { TextBlock } from 'deflector'

/** Code that a vendor ran, in words. */
export const codeInWords = (code: string, language = ''): TextBlock => fenced('I ran this code:', code, language)

/** What the code printed. */
export const outputInWords = (output: string): TextBlock => fenced('It printed:', output)

const fenced = (what: string, text: string, language = ''): TextBlock => ({
  type: 'text',
  text: `${what}\n\`\`\`${language}\n${text.replace(/\n$/, '')}\n\`\`\``,
})
