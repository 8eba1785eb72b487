import { useEffect, useState } from 'react'
import { TextField } from '../kit/field.tsx'
import { usePlace, useWay } from '../shell/place.ts'

/** What a list is searched for: the address says it. */
export function useListSearch(): string {
  return usePlace().parameters.get('search') ?? ''
}

/** Long enough for the next letter: not each of them is a question to the server. */
const pauseMs = 180

/** Above every list that can be searched: it shows what matches while a user types. */
export function ListSearch({ label, hint = label }: { label: string; hint?: string }) {
  const way = useWay()
  const search = useListSearch()
  const [typed, setTyped] = useState<string | null>(null)
  // After every rendering: the address may have changed meanwhile.
  useEffect(() => {
    if (typed === null) return
    const timer = setTimeout(() => {
      way.go(way.here({ search: typed }), { replace: true })
      setTyped(null)
    }, pauseMs)
    return () => clearTimeout(timer)
  })
  return (
    <div className="list-search">
      <TextField
        label={label}
        isLabelHidden
        type="search"
        placeholder={hint}
        value={typed ?? search}
        onChange={setTyped}
      />
    </div>
  )
}
