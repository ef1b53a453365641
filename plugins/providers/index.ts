import { COMPATIBLE, PRESETS, type Preset } from './presets.ts'

interface Alias {
  readonly use: string
  readonly options: Readonly<Record<string, unknown>>
}

const GEMINI: Alias = {
  use: 'generate-content',
  options: { url: 'https://generativelanguage.googleapis.com', model: 'gemini-3.1-flash-lite', key_required: true },
}

/** The vendors that `use:` knows by name. */
export const aliases: Readonly<Record<string, Alias>> = {
  ...Object.fromEntries(PRESETS.flatMap(preset => preset.ids.map(id => [id, aliasOf(preset)]))),
  anthropic: {
    use: 'messages',
    options: { url: 'https://api.anthropic.com', model: 'claude-haiku-4-5', key_required: true },
  },
  'openai-responses': {
    use: 'responses',
    options: { url: 'https://api.openai.com/v1', model: 'gpt-5.4-nano', key_required: true },
  },
  ...Object.fromEntries(['gemini', 'google'].map(id => [id, GEMINI])),
}

function aliasOf({ url, model, keyless, headers, quirks }: Preset): Alias {
  return {
    use: 'chat-completions',
    options: {
      ...(url !== undefined && { url }),
      ...(model !== undefined && { model }),
      key_required: keyless !== true,
      ...(headers && { headers }),
      quirks: { ...COMPATIBLE, ...quirks },
    },
  }
}
