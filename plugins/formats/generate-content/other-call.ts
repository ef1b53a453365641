import type { Call } from 'deflector'

/** The call with some of its members in place of its own. */
export const withMembers = (call: Call, members: Partial<Call>): Call =>
  new Proxy(call, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
