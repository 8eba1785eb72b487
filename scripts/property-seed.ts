/** Before each test file: properties take the seed of the whole run, which `npm test` says at its start. */
import fc from 'fast-check'

const seed = Number(process.env.ASSAY_TEST_SEED)
if (seed > 0) fc.configureGlobal({ seed })
