import { text } from '../../text.ts'

const names = new Map<string, string>(Object.entries(text.people.types))

/** The kind of an identifier in words; workspaces may have kinds of their own. */
export const identifierName = (type: string): string => names.get(type) ?? type
