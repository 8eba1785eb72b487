import { type PointerEvent, useRef } from 'react'

type Steps = { columns: number; rows: number }

/** Handlers for an element that is dragged over a grid; it reports whole cells, as soon as another cell is reached. */
export function useDrag(
  cellOf: () => { width: number; height: number },
  on: { start: () => void; move: (steps: Steps) => void; end: () => void },
) {
  const begun = useRef<{ x: number; y: number; said: string } | null>(null)
  const finish = (event: PointerEvent) => {
    if (begun.current === null) return
    begun.current = null
    event.currentTarget.releasePointerCapture(event.pointerId)
    on.end()
  }
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      begun.current = { x: event.clientX, y: event.clientY, said: '0 0' }
      on.start()
    },
    onPointerMove: (event: PointerEvent) => {
      const start = begun.current
      if (start === null) return
      const { width, height } = cellOf()
      const columns = Math.round((event.clientX - start.x) / width)
      const rows = Math.round((event.clientY - start.y) / height)
      const said = `${columns} ${rows}`
      if (said === start.said) return
      start.said = said
      on.move({ columns, rows })
    },
    onPointerUp: finish,
    onPointerCancel: finish,
  }
}
