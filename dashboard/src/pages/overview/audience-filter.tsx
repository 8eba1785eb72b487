import type { Audience } from '@assay/contract'
import { useRead } from '../../api/reads.ts'
import { Select } from '../../kit/select.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'

/** A site has a hundred at most, as the contract says. */
const audiencesMax = 100

/** The audiences of the site; none while they are on their way. */
export function useAudiences(): readonly Audience[] {
  const { siteId } = usePlace()
  return useRead('listAudiences', { query: { siteId, limit: audiencesMax } }).data?.data ?? []
}

/** Shows one audience alone. Where the site has none there is nothing to choose. */
export function AudienceFilter() {
  const { parameters } = usePlace()
  const way = useWay()
  const audiences = useAudiences()
  if (audiences.length === 0) return null
  const chosen = parameters.get('audience') ?? ''
  return (
    <Select
      name={text.filters.names.audience}
      value={audiences.some(({ id }) => id === chosen) ? chosen : ''}
      choices={[
        { value: '', label: text.filters.everybody },
        ...audiences.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(audience) => way.go(way.here({ audience }))}
    />
  )
}
