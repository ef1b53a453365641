import type { Block, JsonObject, MediaBlock, TextBlock, ToolCallBlock, ToolResultBlock } from 'deflector'
import { argsObject } from '../args-object.ts'
import { isMedia } from '../content.ts'
import { idField } from './call-ids.ts'
import { wordsOf, writeMedia } from './media.ts'
import type { ModelRules } from './model-rules.ts'
import { deedIn } from './own-deeds.ts'
import { OWN, ownProof, UNSIGNED } from './proof.ts'

/** The parts of a model's turn, for its vendor. */
export function writeModelParts(blocks: readonly Block[], rules: ModelRules): JsonObject[] {
  const parts: JsonObject[] = []
  let called = false
  for (const block of blocks) {
    if (block.type === 'tool_call') {
      // Of parallel calls only the first is signed.
      parts.push(writeCall(block, rules.signsCalls && !called))
      called = true
    } else if (block.type === 'reasoning') parts.push(...writeReasoning(block))
    else if (block.type === 'text' || block.type === 'refusal') parts.push({ text: block.text })
    else if (block.type === 'opaque') parts.push(block.value)
  }
  return parts
}

/** A signature without words proves what stands before it. */
function writeReasoning(block: Extract<Block, { type: 'reasoning' }>): JsonObject[] {
  const deed = deedIn(block)
  if (deed) return [deed]
  const proof = ownProof(block)
  if (!('thoughtSignature' in proof)) return []
  return [block.text === '' ? { text: '', ...proof } : { text: block.text, thought: true, ...proof }]
}

function writeCall(block: ToolCallBlock, isFirst: boolean): JsonObject {
  const { id, name, args } = block
  const proof = ownProof(block)
  const signed = 'thoughtSignature' in proof || !isFirst ? proof : { thoughtSignature: UNSIGNED }
  return {
    functionCall: { ...idField(id), name, args: argsObject(args) },
    ...signed,
  }
}

/** The parts of a user's turn. `names`: of the tools, by the ids of their calls. */
export function writeUserParts(
  blocks: readonly Block[],
  names: ReadonlyMap<string, string>,
  rules: ModelRules,
): JsonObject[] {
  const results: JsonObject[] = []
  const shown: JsonObject[] = []
  const rest: JsonObject[] = []
  for (const block of blocks) {
    if (block.type === 'tool_result') {
      const media = block.blocks.filter(isMedia)
      const inside = rules.partResolution && media.every(({ source }) => 'data' in source)
      results.push(writeResult(block, names.get(block.id) ?? block.id, inside ? media : [], rules))
      if (!inside && media.length > 0)
        shown.push({ text: `The result of call ${block.id}:` }, ...media.flatMap(one => shownMedia(one, rules)))
    } else if (block.type === 'text' || block.type === 'refusal') rest.push({ text: block.text })
    else if (isMedia(block)) rest.push(...shownMedia(block, rules))
    else if (block.type === 'opaque') rest.push(block.value)
  }
  return [...results, ...shown, ...rest]
}

/** A file, and before it what is said of it. */
const shownMedia = (block: MediaBlock, rules: ModelRules): JsonObject[] => [
  ...wordsOf(block).map(text => ({ text })),
  writeMedia(block, rules),
]

const ONLY_MEDIA = '(the result is a file)'

function writeResult(
  { id, blocks, isError }: ToolResultBlock,
  name: string,
  media: readonly MediaBlock[],
  rules: ModelRules,
): JsonObject {
  const said = blocks.filter((block): block is TextBlock => block.type === 'text').map(({ text }) => text)
  const texts = [...said, ...media.flatMap(wordsOf)]
  const text = texts.length === 0 && blocks.length > 0 ? ONLY_MEDIA : texts.join('\n\n')
  return {
    functionResponse: {
      ...idField(id),
      name,
      response: isError ? { error: text } : { output: text },
      ...(media.length > 0 && { parts: media.map(one => withoutResolution(writeMedia(one, rules))) }),
    },
  }
}

const withoutResolution = ({ mediaResolution: _, ...part }: JsonObject): JsonObject => part

/** Has this block something that the vendor takes? Reasoning without its proof and foreign blocks have not. */
export function says(block: Block): boolean {
  if (block.type === 'text' || block.type === 'refusal') return block.text.trim() !== ''
  if (block.type === 'reasoning') return 'thoughtSignature' in ownProof(block) || deedIn(block) !== undefined
  return block.type !== 'opaque' || block.format === OWN
}
