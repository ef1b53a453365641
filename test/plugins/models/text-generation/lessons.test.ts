import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { instructions, MODES } from '../../../../plugins/layers/slm/tiers.ts'
import { root } from '../../../support/markdown.ts'

/** The tiny writer classifies by the very words that it has learnt. */
for (const mode of MODES)
  test(`the tiny writer has learnt the instructions of the mode "${mode}"`, () => {
    const learnt = readFileSync(join(root, `scripts/tiny/instructions/layer-${mode}.txt`), 'utf8').trimEnd()
    assert.is(instructions(mode), learnt, 'change the file, and run "npm run model:tiny"')
  })

test.run()
