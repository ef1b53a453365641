import { COMPATIBLE, PRESETS, type Preset } from './presets.ts'

interface Alias {
  readonly use: string
  readonly options: Readonly<Record<string, unknown>>
}

/** The vendors that `use:` knows by name. */
export const aliases: Readonly<Record<string, Alias>> = {
  ...Object.fromEntries(PRESETS.flatMap(preset => preset.ids.map(id => [id, aliasOf(preset)]))),
  anthropic: {
    use: 'messages',
    options: { url: 'https://api.anthropic.com', model: 'claude-haiku-4-5', key_required: true },
  },
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
