/** `npm run kills`: kills the product a thousand times, and shows that nothing acknowledged is lost or doubled. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runKillCampaign } from './kill-campaign.ts'
import { isSound } from './kill-ledger.ts'
import { formatNumber } from './report.ts'
import { median } from './statistics.ts'

const help = `npm run kills -- [options]
  --times 1000      how many kills
  --minutes 600     ends earlier after this time
  --seed 1          of the load and the moments
  --rate 500        events a second
  --check-every 50  kills between two comparisons of the stores with what was acknowledged`

const { values: options } = parseArgs({
  options: {
    times: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string', default: '500' },
    'check-every': { type: 'string', default: '50' },
    help: { type: 'boolean', default: false },
  },
})

function readNumber(name: 'times' | 'minutes' | 'seed' | 'rate' | 'check-every'): number {
  const value = Number(options[name])
  if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} must be a number above 0\n${help}`)
  return value
}

const idsShown = 20

async function main(): Promise<boolean> {
  const scratch = mkdtempSync(join(tmpdir(), 'assay-kills-'))
  const begunMs = performance.now()
  const { findings, ...result } = await runKillCampaign({
    dataDir: join(scratch, 'data'),
    times: readNumber('times'),
    minutes: readNumber('minutes'),
    seed: readNumber('seed'),
    eventsPerSecond: readNumber('rate'),
    checkEvery: readNumber('check-every'),
    print: (line) => console.log(line),
    now: () => Date.now(),
  })
  const rows: [string, number, string][] = [
    ['kills', result.kills, ''],
    ['of them during a start', result.killsDuringStart, ''],
    ['events sent', result.sent, ''],
    ['acknowledged', result.acknowledged, ''],
    ['stored', result.stored, ''],
    ['lost', findings.lost.length, ''],
    ['doubled', findings.doubled.length, ''],
    ['torn', findings.torn.length, ''],
    ['never sent', findings.unknown.length, ''],
    ['start, median', median(result.startMs) / 1000, ' s'],
    ['start, slowest', Math.max(...result.startMs) / 1000, ' s'],
    ['the campaign', (performance.now() - begunMs) / 60_000, ' minutes'],
  ]
  for (const [what, value, unit] of rows) console.log(`${what.padEnd(24)} ${formatNumber(value)}${unit}`)
  if (isSound(findings)) {
    rmSync(scratch, { recursive: true, force: true })
    return true
  }
  for (const [what, ids] of Object.entries(findings))
    if (ids.length > 0) console.log(`${what}: ${ids.slice(0, idsShown).join(' ')}`)
  console.log(`The data is in ${scratch}`)
  return false
}

if (options.help) console.log(help)
else if (!(await main())) process.exitCode = 1
