/** Plain words of two and three letters that are no grammar. Any other word that short is a name: `hr`, `ev`, `nhs`. */
export const SHORT_WORDS: ReadonlySet<string> = new Set(
  (
    'ace act add age ago aid aim air all ant ape app apt arm art ash ask ate awe axe bad bag ban bar bat bay bed bee beg bet bid big bin bit ' +
    'bow box boy bra bud bug bun bus buy bye cab cap car cat cop cow cry cub cup cut dad day die dig dim dip dog dot dry due dug dye ear ' +
    'eat egg ego elf end era eve eye fab fan far fat fed fee few fig fit fix flu fly fog fox fry fun fur gap gas gay gel gem gin god goo gum ' +
    'gun gut guy gym hat hay hen hip hit hop hot hub hug hum hut ice icy ill ink inn ion jam jar jaw jet job jog joy jug key kid kin kit ' +
    'lab lag lap law lay leg lid lie lip lit log lot low mad man map mat men mix mob mod mom mop mow mud mug mum nap net new nod now nun ' +
    'nut oak oar odd oil old ore owe owl pad pal pan par pat paw pay pea pen pet pie pig pin pit pod pop pot pub put rag ran rat raw ray ' +
    'red ref rib rid rig rim rip rob rod rot row rub rug run rye sad sat saw say sea see set sew sex shy sin sip sir sit ski sky sob son ' +
    'sow soy spa spy sum sun tab tag tan tap tar tax tea ten tie tin tip toe ton top toy try tub tug two use van vet vow wag war wax web ' +
    'wed wet wig win won yet zip zoo go ex ad ads id ids ox pi ok hi oh ah re etc max min avg vs bro lad mrs mr ms dr st lol btw via ' +
    'per pm am tho thx ty pls plz im ur ya yo no non pre pro sub url six one'
  ).split(' '),
)

/** Pronouns that are names too: of a country, a trade and an office. */
export const NAMED: ReadonlySet<string> = new Set(['us', 'it', 'who'])
