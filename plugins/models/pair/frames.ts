const ASKING = '(?:what|where|when|who|whose|whom|why|how|which|whether|if)'
/** `could you describe it as fair`, `can you list a house`, `can you write a will` ask whether: these may stand alone. */
const SAY = '(?:explain|summari[sz]e|translate|describe(?!.* as )|(?:tell|show|give|write|let) (?:me|us))\\b'

/** Each says nothing whatever stands behind it; all else about how a question is put is left to the model. */
const FRAMES: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^(?:can|could|would) you (?=${SAY})`), ''],
  [new RegExp(`^(?:tell|let) (?:me|us)(?: know)?[,:]? (?=${ASKING} )`), ''],
  [new RegExp(`^(?:i|we) (?:want|need|would like|would love) to know,? (?=${ASKING} )`), ''],
  // `do you know how to swim` asks about the other one.
  [new RegExp(`^do you know,? (?=${ASKING} )(?!\\w+ to )`), ''],
  // `how do you`, `how can i` and `what is the best way to` ask for something else too often.
  [/^how do i /, 'how to '],
]

/** `why does not it start`, as short forms leave it when they are spelled out. */
const TURNED =
  /^((?:why|how|what|when|where|who) )?(is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|must) not (i|you|he|she|it|we|they|there) /

/** A question without the frames around it. */
export function unframed(question: string): string {
  let text = question
  for (const [begin, left] of FRAMES) text = text.replace(begin, left)
  return text.replace(TURNED, '$1$2 $3 not ')
}
