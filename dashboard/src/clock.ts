/** The clock of the page; passed in, or asked for here and nowhere else. */
export const now = (): number => Date.now()
