import type { Cancellation } from './cancellation.ts'
import type { Usage } from './chat/completion.ts'
import type { Exchange } from './exchange.ts'
import type { JsonObject } from './json/object.ts'

/** Sentences to vectors of unit length, one for each text, in order. */
export interface Embedder {
  readonly dimensions: number
  /**
   * Names the weights, once started: vectors of two embedders may be compared when theirs are equal. It is part of
   * every key under which vectors are shared.
   */
  readonly fingerprint?: string | undefined
  /**
   * `cancellation` says that the result is not awaited any more, so that work not yet begun can be dropped. Its reason is called
   * `TimeoutError` where the model was too slow. Ask for its `signal` only where one is needed: that costs more.
   */
  embed(texts: readonly string[], cancellation?: Cancellation): Promise<Float32Array[]>
  /** Gives `Pick<Embedder, 'embed' | 'dimensions'>`. */
  readonly portable?: Portable | undefined
}

/**
 * How another process makes the same model: it imports `module` and calls its export `open` with `options`, which are
 * JSON. A layer that works in a process of its own then needs no message to this one for each text. Where `open` fails,
 * its `Error` names the remedy.
 */
export interface Portable {
  /** A `file:` address. */
  readonly module: string
  readonly options: unknown
}

/** What a judge makes of a prompt before it is compared with any other. */
export interface Reading {
  /** Equal for prompts that differ in nothing but manners, spaces and the like: their answer is served without a verdict. */
  readonly canonical: string
  /** May the prompt be compared with others that are worded in another way? */
  readonly comparable: boolean
  /** Why the prompt is neither looked up nor stored, such as `volatile`; absent where it may be. */
  readonly refused?: string
}

/** What stands before a prompt in its request. */
export interface Before {
  /** The system prompt, and what the user said in earlier turns. They may say what is done with the prompt. */
  readonly texts: readonly string[]
  /** Does it come after others of its conversation, which it may lean on? */
  readonly follows: boolean
}

/** Has the new prompt the same answer as a stored one? */
export interface Verdict {
  /** 0 to 1; 0 where a rule refuses. */
  readonly probability: number
  /** Id of the rule that refuses. */
  readonly reason?: string
}

/** Says which stored prompts have the same answer as a new one. It judges in another process, because that takes long. */
export interface Judge {
  /** Names weights, rules and canonical keys, once started: part of every key under which entries are shared. */
  readonly fingerprint?: string | undefined
  /**
   * Takes microseconds, and for instructions that are new a millisecond or two. Asks no other process, because every
   * request is read on the main thread.
   */
  read(text: string, before?: Before): Reading
  /** The least probability of a hit among so many entries, for a share of wrong hits among all requests. */
  bar(entries: number, falseRequests: number): number
  /** Do two answers to one question say the same? */
  agree(one: string, other: string): boolean
  /** Gives `Verdicts`. */
  readonly portable: Portable
}

/** What a judge makes in the process that judges. */
export interface Verdicts {
  /**
   * One verdict for each stored prompt, in order. A verdict depends on its pair alone, never on the others asked for, and
   * is the same when asked and stored change places.
   */
  judge(asked: string, stored: readonly string[]): Promise<readonly Verdict[]>
}

/** A turn that is text alone. */
export interface TextTurn {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** A conversation to go on with. */
export interface WritingTask {
  readonly system?: string
  /** In order; the last one is the user's. */
  readonly turns: readonly TextTurn[]
  readonly maxTokens: number
  /** Was the answer asked for as JSON? A model that can be held to it is. */
  readonly json?: boolean
  /** The JSON Schema that such an answer has to fit, where there is one. Who asks checks the answer all the same. */
  readonly schema?: JsonObject
  /** 0 takes the likeliest word each time; the model's own default where absent. */
  readonly temperature?: number
}

export interface WrittenText {
  readonly text: string
  /** `length`: `maxTokens` or the model's window cut it off. */
  readonly finish: 'stop' | 'length'
  /** As the model counted; absent where it does not count. */
  readonly usage?: Pick<Usage, 'input' | 'output'> | undefined
}

/** A small local model that writes text. */
export interface Writer {
  /** Names the model, in its answers and in spans. */
  readonly model: string
  /** Its server's address without credentials; absent where no server is asked. */
  readonly url?: string | undefined
  /**
   * `cancellation` says that the text is not awaited any more; its reason is called `TimeoutError` where the model was too
   * slow. An error called `Refusal` says that a working model cannot take this task (it is too long for its window); any
   * other one that the model fails. No error quotes the task.
   */
  write(task: WritingTask, cancellation?: Cancellation): Promise<WrittenText>
}

/** What a model plugin gives. */
export type Model = Embedder | Judge | Writer

/** An embedder as layers are handed it: layers that compare the same prompt share its vector. */
export interface EmbedderHandle extends Embedder {
  /**
   * The vector of `text`, computed once per exchange, whichever layers ask.
   * Rejects as `embed` does.
   */
  embedFor(exchange: Exchange, text: string, cancellation?: Cancellation): Promise<Float32Array>
  /** That vector where a layer has asked for it and it is made; nothing is begun. */
  knownFor(exchange: Exchange, text: string): Float32Array | undefined
}
