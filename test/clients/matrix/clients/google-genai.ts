import { type Client, MAX_TOKENS, MODEL, type Turn } from '../conversation.ts'
import { gathered } from '../gathered.ts'
import { load, NODE_PACKAGES } from '../packages.ts'

function content(turn: Turn): unknown {
  if ('user' in turn) {
    const image = turn.png ? [{ inlineData: { mimeType: 'image/png', data: turn.png } }] : []
    return { role: 'user', parts: [{ text: turn.user }, ...image] }
  }
  if ('assistant' in turn) return { role: 'model', parts: [{ text: turn.assistant }] }
  if ('native' in turn) return { role: 'model', parts: turn.native }
  const parts = turn.results.map(({ id, name, text }) => ({
    functionResponse: { ...(id && { id }), name, response: { output: text } },
  }))
  return { role: 'user', parts }
}

interface Part {
  readonly text?: string
  readonly thought?: boolean
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown }
}

export const googleGenai: Client = {
  name: '@google/genai',
  version: NODE_PACKAGES['@google/genai'],
  dialect: 'generate-content',
  retries: 'never',
  async open(url) {
    const { GoogleGenAI } = await load('@google/genai')
    const client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: url } })
    return {
      async ask({ system, turns, tools, schema, reasoning }, stream) {
        const request = {
          model: MODEL,
          contents: turns.map(content),
          config: {
            maxOutputTokens: MAX_TOKENS,
            ...(system && { systemInstruction: system }),
            ...(tools && {
              tools: [
                {
                  functionDeclarations: tools.map(({ parameters, ...tool }) => ({
                    ...tool,
                    parametersJsonSchema: parameters,
                  })),
                },
              ],
            }),
            ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
            ...(reasoning && { thinkingConfig: { includeThoughts: true, thinkingBudget: 2000 } }),
          },
        }
        const chunks = stream
          ? await gathered(await client.models.generateContentStream(request))
          : [await client.models.generateContent(request)]
        const parts: readonly Part[] = chunks.flatMap(chunk => chunk.candidates?.[0]?.content?.parts ?? [])
        const text = (thought: boolean) =>
          parts.map(part => (Boolean(part.thought) === thought ? (part.text ?? '') : '')).join('')
        const usage = chunks.at(-1)?.usageMetadata
        return {
          text: text(false),
          calls: parts.flatMap(({ functionCall: call }) =>
            call ? [{ id: call.id ?? '', name: call.name, arguments: call.args ?? {} }] : [],
          ),
          reasoning: text(true),
          tokens: {
            input: usage?.promptTokenCount,
            output: usage && (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
          },
          native: parts,
        }
      },
    }
  },
}
