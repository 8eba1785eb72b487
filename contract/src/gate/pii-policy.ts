export type PiiKind = 'card' | 'secret' | 'iban' | 'email' | 'phone' | 'ssn' | 'tckn' | 'ip'

/**
 * How strict a property is. `default`: cards, secrets, bank accounts, national ids, e-mail and phone are forbidden
 * where form or name makes them certain. `identity`: as default, but e-mail and phone are what the property is for.
 * `deny`: whatever could be personal. `allow`: nothing is looked for.
 */
export type PiiPolicy = 'allow' | 'identity' | 'default' | 'deny'
