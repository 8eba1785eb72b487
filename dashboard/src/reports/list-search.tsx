import { TextField } from '../kit/field.tsx'
import { usePlace, useWay } from '../shell/place.ts'

/** What a list is searched for: the address says it. */
export function useListSearch(): string {
  return usePlace().parameters.get('search') ?? ''
}

export function ListSearch({ label }: { label: string }) {
  const way = useWay()
  return (
    <div className="report-search">
      <TextField
        label={label}
        isLabelHidden
        type="search"
        placeholder={label}
        value={useListSearch()}
        onChange={(value) => way.go(way.here({ search: value }), { replace: true })}
      />
    </div>
  )
}
