/**
 * The maxima of texts that several shapes share. Lengths are in UTF-16 units, as JSON Schema and JavaScript count
 * them up to characters outside the basic plane.
 */

/** A name is 128 characters at most once it is snake_case; some longer ones are quarantined to be renamed. */
export const eventNameCharactersMax = 255
/** Names of properties, traits and context members. */
export const propertyNameCharactersMax = 255
/** `99999-99999-99999` is 17. */
export const contractVersionCharactersMax = 64
export const siteIdCharactersMax = 64

/**
 * An answer to events is at most this large: a multiple of what was sent, a share for each event, and a base. Numbers
 * such as 1e20 are written out when properties are sent back, which makes them four times as long.
 */
export const answerBounds = { perRequestByte: 6, perEventBytes: 2_048, baseBytes: 256 * 1024 } as const
