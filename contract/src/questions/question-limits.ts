/** Metrics, events and formulas of one question. */
export const metricsMax = 20
/** Besides time. */
export const dimensionsMax = 3
/** Groups of values in the answer; each has a row for every interval. */
export const groupsMax = 1_000
export const groupsDefault = 20
/** Rows of an answer: groups times intervals. */
export const answerRowsMax = 50_000
export const orderByMax = 4
export const formulaCharactersMax = 200
export const rollingPointsMax = 90
/** Properties that are suggested. */
export const suggestedPropertiesMax = 500
export const suggestedTraitsMax = 200
/** A question as text in an address. */
export const questionTextCharactersMax = 16_384
