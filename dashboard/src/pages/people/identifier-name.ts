import { peopleText } from '../../text/people.ts'

const names = new Map<string, string>(Object.entries(peopleText.people.types))

/** The kind of an identifier in words; workspaces may have kinds of their own. */
export const identifierName = (type: string): string => names.get(type) ?? type
