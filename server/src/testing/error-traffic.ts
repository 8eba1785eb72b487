/** One step of a made-up visit: milliseconds since it began, the stage of the page, or a purchase. */
type DrawnStep = { ms: number; stage: number; isPurchase: boolean }
export type DrawnVisit = { device: string; isReturning: boolean; steps: DrawnStep[] }

/** Mulberry32: small, seeded, good enough for drawing visits. */
export function randomOf(seed: number): () => number {
  let state = Math.imul(seed, 2_654_435_761)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const stepsMax = 60

/**
 * Visits of a shop in four stages. Some visitors are more willing to buy, which is not observable: they stay
 * longer and get further, so that the length of a visit and its purchase correlate as in reality.
 */
export function drawVisits(
  random: () => number,
  count: number,
  { goesOn }: { goesOn: boolean },
): DrawnVisit[] {
  return Array.from({ length: count }, () => {
    const device = random() < 0.6 ? 'mobile' : 'desktop'
    return { device, isReturning: random() < 0.35, steps: drawSteps(random, device === 'mobile', goesOn) }
  })
}

function drawSteps(random: () => number, isMobile: boolean, goesOn: boolean): DrawnStep[] {
  const intent = random()
  const leaving = 0.28 - 0.16 * intent + (isMobile ? 0.04 : 0)
  const steps: DrawnStep[] = [{ ms: 0, stage: 0, isPurchase: false }]
  let [ms, stage, hasBought] = [0, 0, false]
  while (steps.length < stepsMax) {
    ms += gapMs(random)
    if (random() < leaving * (hasBought ? 1.6 : stage === 3 ? 0.6 : 1)) break
    const chance = random()
    const isPurchase = hasBought ? chance < 0.05 : stage === 3 && chance < 0.35 + 0.3 * intent
    if (isPurchase) {
      steps.push({ ms, stage: 3, isPurchase })
      hasBought = true
      if (!goesOn) break
      continue
    }
    const rises = !hasBought && stage < 3 && chance < (stage === 1 ? 0.25 + 0.2 * intent : 0.45)
    if (rises) stage += 1
    steps.push({ ms, stage: rises ? stage : Math.floor(random() * (stage + 1)), isPurchase: false })
  }
  return steps
}

/** About 15 seconds, skewed. */
function gapMs(random: () => number): number {
  return Math.round(Math.exp(9.6 + 1.6 * (random() + random() + random() - 1.5)))
}

/** How errors come over visits: at every step, with time, once into a visit, or on reaching a stage. */
export type Striking =
  | { by: 'step'; chance: number; fromStage?: number }
  | { by: 'time'; everyMs: number }
  | { by: 'visit'; chance: number }
  | { by: 'visit time'; chance: number }
  | { by: 'stage'; stage: number; chance: number }

/** When the error first meets a visit, in milliseconds since it began; null for never. */
export function strike({ steps }: DrawnVisit, random: () => number, way: Striking): number | null {
  const last = steps.at(-1)?.ms ?? 0
  const msOf = (index: number) => steps[index]?.ms ?? null
  switch (way.by) {
    case 'step': {
      let stage = 0
      for (const step of steps) {
        stage = Math.max(stage, step.stage)
        if (stage >= (way.fromStage ?? 0) && random() < way.chance) return step.ms
      }
      return null
    }
    case 'time': {
      const ms = -Math.log(1 - random()) * way.everyMs
      return ms < last ? Math.floor(ms) : null
    }
    case 'visit':
      return random() < way.chance ? msOf(Math.floor(random() * steps.length)) : null
    case 'visit time':
      return random() < way.chance ? Math.floor(random() * last) : null
    case 'stage': {
      const reached = steps.find(({ stage }) => stage >= way.stage)
      return reached !== undefined && random() < way.chance ? reached.ms : null
    }
  }
}
