import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

export const readDocument = (file: string): string => readFileSync(root + file, 'utf8')

/** A fenced block of a Markdown file. */
export interface Block {
  readonly language: string
  readonly text: string
  /** The line of its first line of text; 1-based. */
  readonly line: number
}

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language = '', 2: text = '' }) => ({
    language,
    text,
    line: markdown.slice(0, index).split('\n').length + 1,
  }))
}

/** A Markdown file without its fenced blocks; the other lines keep their numbers. */
export const withoutBlocks = (markdown: string): string =>
  markdown.replace(/^```[\s\S]*?^```$/gm, block => block.replace(/[^\n]/g, ''))

/** The cells of the table whose head begins with these cells. */
export function tableOf(markdown: string, ...head: readonly string[]): string[][] {
  const lines = markdown.split('\n')
  const at = lines.findIndex(line => line.startsWith(`| ${head.join(' | ')} |`))
  if (at < 0) throw new Error(`there is no table ${head.join(', ')}`)
  const rest = lines.slice(at + 2)
  const end = rest.findIndex(line => !line.startsWith('|'))
  return rest.slice(0, end < 0 ? undefined : end).map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

/** What stands between single backticks. */
export const codeOf = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
