import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'

/** Long enough to read a sentence twice. */
const shownMs = 6_000

const NoticeContext = createContext<(words: string) => void>(() => {})

/** Says in passing that something was done; screen readers hear it. */
export function useNotice(): (words: string) => void {
  return useContext(NoticeContext)
}

export function Notices({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState<{ words: string; count: number } | null>(null)
  const say = useCallback(
    (words: string) => setSaid((before) => ({ words, count: (before?.count ?? 0) + 1 })),
    [],
  )
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => setSaid(null), shownMs)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <NoticeContext value={say}>
      {children}
      <div className="notices" role="status" aria-live="polite">
        {said !== null && <p key={said.count}>{said.words}</p>}
      </div>
    </NoticeContext>
  )
}
