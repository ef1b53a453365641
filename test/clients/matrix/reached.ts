import { z } from 'zod'
import { sorted } from './cases.ts'

/** What a vendor reads in a request, as lines. Written apart from our formats, so that it can contradict them. */

const record = z.record(z.string(), z.unknown())
type Fields = Readonly<Record<string, unknown>>

const fields = (value: unknown): Fields => record.safeParse(value).data ?? {}
const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : [])
const parsed = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text))
  } catch {
    return text
  }
}

/** Gathers lines; calls are numbered, and results name the number of their call. */
class Lines {
  readonly all: string[] = []
  private readonly calls: string[] = []
  private readonly answered = new Map<string, number>()

  say(who: unknown, text: unknown): void {
    if (text !== '' && text !== undefined && text !== null) this.all.push(`${who}: ${text}`)
  }
  call(id: unknown, name: unknown, args: unknown): void {
    this.calls.push(String(id ?? name))
    this.all.push(`call ${this.calls.length}: ${name} ${sorted(args ?? {})}`)
  }
  /** Calls of one name without ids are answered in their order. */
  result(id: unknown, text: unknown): void {
    const key = String(id)
    const same = this.calls.flatMap((call, at) => (call === key ? [at + 1] : []))
    const nth = this.answered.get(key) ?? 0
    this.answered.set(key, nth + 1)
    this.all.push(`result ${same[nth] ?? 'of no call'}: ${text}`)
  }
  tool(name: unknown, parameters: unknown): void {
    this.all.push(`tool: ${name}(${propertiesOf(parameters)})`)
  }
  schema(schema: unknown): void {
    if (schema !== undefined) this.all.push(`schema: (${propertiesOf(schema)})`)
  }
  url(url: unknown): void {
    const [, type, data] = /^data:([^;]+);base64,(.*)$/s.exec(String(url)) ?? []
    this.all.push(`image: ${type} ${data}`)
  }
}

const propertiesOf = (schema: unknown): string => Object.keys(fields(fields(schema).properties)).join(', ')

/** Text of a string or of parts. */
const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map(part => part.text ?? '')
        .join('')

function chat(body: Fields, lines: Lines): void {
  for (const { role, content, tool_calls, tool_call_id } of list(body.messages)) {
    if (role === 'tool') lines.result(tool_call_id, textOf(content))
    else if (typeof content === 'string') lines.say(role === 'developer' ? 'system' : role, content)
    for (const part of role === 'tool' ? [] : list(content)) {
      if (part.type === 'image_url') lines.url(fields(part.image_url).url)
      else lines.say(role === 'developer' ? 'system' : role, part.text)
    }
    for (const call of list(tool_calls))
      lines.call(call.id, fields(call.function).name, parsed(fields(call.function).arguments))
  }
  for (const tool of list(body.tools)) lines.tool(fields(tool.function).name, fields(tool.function).parameters)
  lines.schema(fields(fields(body.response_format).json_schema).schema)
  if (body.reasoning_effort !== undefined) lines.all.push('reasoning')
}

function messages(body: Fields, lines: Lines): void {
  lines.say('system', textOf(body.system))
  for (const { role, content } of list(body.messages)) {
    if (typeof content === 'string') lines.say(role, content)
    for (const block of list(content)) {
      const source = fields(block.source)
      if (block.type === 'tool_use') lines.call(block.id, block.name, block.input)
      else if (block.type === 'tool_result') lines.result(block.tool_use_id, textOf(block.content))
      else if (block.type === 'image') lines.url(`data:${source.media_type};base64,${source.data}`)
      else lines.say(role, block.text)
    }
  }
  for (const tool of list(body.tools)) lines.tool(tool.name, tool.input_schema)
  lines.schema(fields(fields(body.output_config).format).schema)
  if (fields(body.thinking).type !== undefined && fields(body.thinking).type !== 'disabled') lines.all.push('reasoning')
}

/** This vendor reads the alphabet of URLs, too. */
const plainBase64 = (data: unknown): string => String(data).replaceAll('-', '+').replaceAll('_', '/')

function generateContent(body: Fields, lines: Lines): void {
  const config = fields(body.generationConfig)
  lines.say('system', textOf(fields(body.systemInstruction).parts))
  for (const { role, parts } of list(body.contents)) {
    for (const part of list(parts)) {
      const [call, result, blob] = [fields(part.functionCall), fields(part.functionResponse), fields(part.inlineData)]
      if (call.name) lines.call(call.id, call.name, call.args)
      else if (result.name) {
        const text = Object.values(fields(result.response)).at(-1)
        lines.result(result.id ?? result.name, text)
      } else if (blob.data) lines.url(`data:${blob.mimeType ?? blob.mime_type};base64,${plainBase64(blob.data)}`)
      else if (!part.thought) lines.say(role === 'model' ? 'assistant' : 'user', part.text)
    }
  }
  for (const tool of list(body.tools).flatMap(({ functionDeclarations }) => list(functionDeclarations)))
    lines.tool(tool.name, tool.parametersJsonSchema ?? tool.parameters_json_schema ?? tool.parameters)
  lines.schema(config.responseJsonSchema ?? config.responseSchema)
  if (config.thinkingConfig !== undefined) lines.all.push('reasoning')
}

function responses(body: Fields, lines: Lines): void {
  lines.say('system', body.instructions)
  if (typeof body.input === 'string') lines.say('user', body.input)
  for (const item of list(body.input)) {
    const who = item.role === 'developer' ? 'system' : item.role
    if (item.type === 'function_call') lines.call(item.call_id, item.name, parsed(item.arguments))
    else if (item.type === 'function_call_output') lines.result(item.call_id, textOf(item.output))
    else if (typeof item.content === 'string') lines.say(who, item.content)
    else if (item.type !== 'reasoning')
      for (const part of list(item.content)) {
        if (part.type === 'input_image') lines.url(part.image_url)
        else lines.say(who, part.text)
      }
  }
  for (const tool of list(body.tools)) lines.tool(tool.name, tool.parameters)
  lines.schema(fields(fields(body.text).format).schema)
  if (body.reasoning !== undefined) lines.all.push('reasoning')
}

/** The vendors, by the name of a provider. */
export const VENDORS: Readonly<Record<string, (body: Fields, lines: Lines) => void>> = {
  openai: chat,
  anthropic: messages,
  gemini: generateContent,
  'openai-responses': responses,
}

export function reached(vendor: string, body: Fields): readonly string[] {
  const lines = new Lines()
  VENDORS[vendor]?.(body, lines)
  return lines.all
}
