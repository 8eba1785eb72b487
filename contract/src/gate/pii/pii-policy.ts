export type PiiKind = 'card' | 'secret' | 'iban' | 'email' | 'phone' | 'ssn' | 'tckn' | 'ip'

/**
 * How strict a property is. `default`: cards, secrets, bank accounts, national ids, e-mail and phone are
 * forbidden where format or name makes them certain. `identity`: as default, but e-mail and phone are
 * expected. `deny`: everything that could be personal. `allow`: nothing is checked.
 */
export type PiiPolicy = 'allow' | 'identity' | 'default' | 'deny'
