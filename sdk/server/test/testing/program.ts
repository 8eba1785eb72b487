/** For run times with a process: settings come from the environment, the result goes to standard output. */
import { everything } from './everything.ts'

const settings = JSON.parse(process.env.ASSAY_SDK_SETTINGS ?? '{}')
console.log(JSON.stringify(await everything(settings)))
