import { SourceMap } from 'node:module'
import { mapOf } from './compile.mjs'

/** Output of a process, in which stacks name the lines of the sources instead of what was compiled from them. */
export const inSources = output =>
  output.replace(/(\/[^\s():]+\.tsx?):(\d+):(\d+)/g, (place, file, line, column) => {
    const map = mapOf(file)
    if (!map) return place
    const { originalLine, originalColumn } = new SourceMap(map).findEntry(Number(line) - 1, Number(column) - 1)
    return originalLine === undefined ? place : `${file}:${originalLine + 1}:${originalColumn + 1}`
  })
