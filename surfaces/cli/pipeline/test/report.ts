import { problemLine } from '../../../../core/gateway.ts'
import type { FileResult } from './run.ts'

/** One line for each test, and below it in what it differs. */
export function reportLines({ file, problems, results }: FileResult): string[] {
  return [
    ...problems.map(problemLine),
    ...results.flatMap(({ name, at, differences }) =>
      differences.length === 0
        ? [`ok    ${file}:${at.line} ${name}`]
        : [`FAIL  ${file}:${at.line} ${name}`, ...differences.map(line => `        ${line}`)],
    ),
  ]
}
