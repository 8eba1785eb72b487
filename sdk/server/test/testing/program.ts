/** For run times with a process: settings come by the environment, the outcome goes to standard output. */
import { everything } from './everything.ts'

const settings = JSON.parse(process.env.ASSAY_SDK_SETTINGS ?? '{}')
console.log(JSON.stringify(await everything(settings)))
