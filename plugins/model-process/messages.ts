/** Where the library finds a model's files. */
export interface Place {
  /** Folder name below `parent`, or a hub id. */
  readonly model: string
  /** Parent of the model's folder; absent for a hub id. */
  readonly parent?: string
  /** Folder for downloads. */
  readonly cacheDir: string
}

/** The first message to the process. */
export interface LoadMessage {
  readonly type: 'load'
  readonly place: Place
}

/** What the process says of its loading; `Ready` is what it found out about the model. */
export type Loading<Ready extends object> =
  | { readonly type: 'progress'; readonly file: string; readonly percent: number }
  | ({ readonly type: 'ready' } & Ready)
  | {
      readonly type: 'unready'
      readonly why: 'missing_library' | 'broken_library' | 'no_model'
      readonly message: string
    }
