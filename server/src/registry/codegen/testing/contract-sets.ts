import { builtInEvents, type EventContract, standardEvents } from '@assay/contract'
import { packs } from '../../packs/index.ts'
import { goldenContracts } from './golden-contracts.ts'
import { tortureContracts } from './torture-contracts.ts'

const catalog = [...standardEvents, ...builtInEvents]

/** Everything that must compile, by a name that is also fit for a folder and a Python package. */
export const contractSets: Readonly<Record<string, readonly EventContract[]>> = {
  catalog,
  golden: goldenContracts,
  torture: tortureContracts,
  nothing: [],
  all_packs: [...catalog, ...packs.flatMap((pack) => pack.contracts)],
  ...Object.fromEntries(packs.map((pack) => [pack.key, pack.contracts])),
}
