/** The few words of WebAssembly that this folder uses: the types of Node 20 leave them to those of browsers. */
declare namespace WebAssembly {
  class Memory {
    readonly buffer: ArrayBuffer
  }
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module)
    readonly exports: Readonly<Record<string, unknown>>
  }
  function validate(bytes: Uint8Array): boolean
}
