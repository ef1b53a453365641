const RULE = /^(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t\r]*$/
/** Characters that draw lines and nothing else. Corners and tees are part of drawings that mean something. */
const DRAWN = /^[ \t]*[─━═┄┅┈┉╌╍▀▄█▬⎯―]{3,}[ \t\r]*$/

/** Is a line drawn, and says nothing? */
export const isRule = (line: string): boolean => RULE.test(line) || DRAWN.test(line)
