/** Loaded last, so that all before it is known to be loaded or not. */
export {}
