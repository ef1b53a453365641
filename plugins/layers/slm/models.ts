import type { EmbedderHandle, LayerHost, Writer } from 'deflector'
import type { SlmOptions } from './options.ts'

/** The models of one router: what writes, and what classifies. */
export interface SlmModels {
  readonly writer: Writer
  readonly intent: Writer | EmbedderHandle
}

/** Throws where an option names none, or one of another kind. */
export function modelsOf(host: LayerHost, options: SlmOptions): SlmModels {
  const { writer, classifier, intent_model = writer, embedder } = options
  return {
    writer: writerNamed(host, 'writer', writer),
    intent: classifier === 'model' ? writerNamed(host, 'intent_model', intent_model) : embedderNamed(host, embedder),
  }
}

function writerNamed(host: LayerHost, option: string, name: string | undefined): Writer {
  const model = host.model(needed(host, option, name))
  if (!('write' in model))
    throw new Error(`the model "${name}" of the layer "${host.name}" must write, and it does not`)
  return model
}

function embedderNamed(host: LayerHost, name: string | undefined): EmbedderHandle {
  const model = host.model(needed(host, 'embedder', name))
  if (!('embed' in model))
    throw new Error(`the model "${name}" of the layer "${host.name}" must embed, and it does not`)
  return model
}

function needed({ name: layer }: LayerHost, option: string, name: string | undefined): string {
  if (name === undefined) throw new Error(`the layer "${layer}" is enabled and needs the option "${option}"`)
  return name
}
