/** Rates are not what is tested here: they would end a campaign after its first second. */
const many = String(1e9)

/** How the attacked product is started: with sign-up for everyone, and without rate limits. */
export const targetSettings: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'ASSAY_INGEST_EVENTS_PER_SECOND',
      'ASSAY_PUBLIC_EVENTS_PER_SECOND_PER_ADDRESS',
      'ASSAY_API_READS_PER_MINUTE',
      'ASSAY_API_WRITES_PER_MINUTE',
      'ASSAY_CONTROL_READS_PER_MINUTE',
      'ASSAY_CONTROL_WRITES_PER_MINUTE',
      'ASSAY_PERSON_CALLS_PER_MINUTE',
      'ASSAY_SIGN_INS_PER_MINUTE',
      'ASSAY_UNKNOWN_CALLS_PER_MINUTE',
    ].map((name) => [name, many]),
  ),
  ASSAY_SIGN_UP: 'open',
}
