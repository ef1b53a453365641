const ASKING = '(?:what|where|when|who|whose|whom|why|how|which|whether|if)'
/** `how do people die` asks for no way to do it, so only who asks is nobody in particular. */
const PERSON = '(?:i|we|you|one|u)'
/** `how do we` asks for what several do. */
const ANYBODY = '(?:i|you|one|u)'
const ASKED = '(?:you|u|someone|somebody|anyone|anybody)'
/** What people ask an assistant to do, and rarely whether it can. */
const VERBS =
  '(?:explain|describe|tell|show|give|help|write|list|create|provide|generate|summarize|summarise|recommend|suggest|define|teach|find|name|translate|draft|compose|compare|convert|calculate|compute|solve|fix|correct|proofread|rewrite|rephrase|paraphrase|shorten|simplify|outline|sort|print|check|count|replace|analyze|analyse|evaluate|review|clarify|elaborate|demonstrate|illustrate|identify|extract|classify|rank|brainstorm|walk|guide)'
/** `how do you feel` asks how the other one feels. */
const STATES =
  '(?:feel|think|like|love|hate|know|see|work|sleep|live|look|react|respond|cope|learn|remember|decide|rate|describe|define|understand|differ|compare|process|spend)'

type Frame = readonly [RegExp, string]
const frame = (begin: string, left = ''): Frame => [new RegExp(`^${begin}`), left]

const WONDERING = [
  frame(`i (?:am|was) (?:just )?(?:wondering|curious),? (?:if|whether) (?=${ASKED} (?:can|could|would|might) )`),
  frame(`i (?:am|was) (?:just )?(?:wondering|curious),? (?=${ASKING} )`),
]
// Without `you`, who wants to write a book wants advice and no book.
const WANTING = [
  frame(`(?:i|we) (?:want|need|would like|like|would love) you to (?=${VERBS} )`),
  frame(
    `(?:i|we) (?:want|need|would like|like|would love)(?: to)? (?:know|find out|understand|learn),? (?=${ASKING} )`,
  ),
]
const REQUEST = frame(`(?:can|could|would|will) ${ASKED} (?:help me )?(?=${VERBS} |let (?:me|us) know )`)
const OFFER = frame(`${ASKED} (?:can|could|would|might) (?:help me )?(?=${VERBS} )`)
const TELLING = [
  frame(`(?:tell|let) (?:me|us)(?: know)?[,:]? (?=${ASKING} )`),
  frame(`(?:tell|show|teach|explain)(?: to)?(?: (?:me|us))? (?=how to |how (?:do|can|could|would|should) ${PERSON} )`),
]
const EXPLAINING = [...TELLING, frame('explain (?:to me|me) (?!what )', 'explain ')]
const LEADING = frame(`(?:so|and|well|okay|um|actually),? (?=${ASKING} )`)

/** Frames around a question by the word they begin with, each with what is left of it. */
const FRAMES: ReadonlyMap<string, readonly Frame[]> = new Map<string, readonly Frame[]>([
  ...'so and well okay um actually'.split(' ').map(word => [word, [LEADING]] as const),
  ...'so, and, well, okay, um, actually,'.split(' ').map(word => [word, [LEADING]] as const),
  ['i', [...WONDERING, ...WANTING]],
  ['we', WANTING],
  ...'can could will'.split(' ').map(word => [word, [REQUEST]] as const),
  ['would', [REQUEST, frame(`would you (?:happen to )?know,? (?=${ASKING} )`)]],
  ['does', [frame(`does ${ASKED} (?:happen to )?know,? (?=${ASKING} )`)]],
  ['do', [frame(`do you (?:happen to )?know,? (?=${ASKING} )`)]],
  ...'you u someone somebody anyone anybody'.split(' ').map(word => [word, [OFFER]] as const),
  ...'tell let show teach'.split(' ').map(word => [word, TELLING] as const),
  ['explain', EXPLAINING],
  [
    'help',
    [frame('help me (?:to )?(?:understand|know|find out) ', 'explain '), frame(`help me (?:to )?(?=${VERBS} )`)],
  ],
  // `how should I` asks for advice, and `is there a way to` whether there is one.
  [
    'how',
    [
      // `how do you use my photos` asks what the other one does.
      frame(
        `how (?:do|can|could|would|might|may) (?!(?:you|u) (?:.* )?(?:my|our|me|us)\\b|(?:you|u) ${STATES}\\b)${ANYBODY} (?:go about )?`,
        'how to ',
      ),
      frame('how to go about ', 'how to '),
    ],
  ],
  ['what', [frame('what is (?:(?:the|a) )?(?:best )?(?:way|method|procedure) (?:to|of|for) ', 'how to ')]],
  ['best', [frame('best way (?:to|of|for) ', 'how to ')]],
])

/** `why does not it start`, as short forms leave it when they are spelled out. */
const TURNED =
  /^((?:why|how|what|when|where|who) )?(is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|must) not (i|you|he|she|it|we|they|there) /

/** A question without the frames around it: each only where what is left asks for the same. */
export function unframed(question: string): string {
  let text = question
  for (let again = 0; again < 6; again++) {
    const before = text
    for (const [begin, left] of FRAMES.get(text.slice(0, Math.max(0, text.indexOf(' ')))) ?? []) {
      text = text.replace(begin, left)
      if (text !== before) break
    }
    if (text === before) break
  }
  return text.replace(TURNED, '$1$2 $3 not ')
}
