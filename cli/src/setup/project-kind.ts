import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CodeLanguage, isRecord } from '@assay/contract'

/** Languages and framework of a project, detected from its files. */
export type ProjectKind = {
  code: readonly { language: CodeLanguage; folder: string }[]
  /** Name of the first framework recognised. */
  framework: string | null
}

/** Frameworks that contain others come first: a Next.js project depends on React too. */
const packageFrameworks: readonly (readonly [dependency: string, name: string])[] = [
  ['next', 'Next.js'],
  ['nuxt', 'Nuxt'],
  ['@sveltejs/kit', 'SvelteKit'],
  ['astro', 'Astro'],
  ['@remix-run/react', 'Remix'],
  ['react-router', 'React Router'],
  ['@angular/core', 'Angular'],
  ['vue', 'Vue'],
  ['svelte', 'Svelte'],
  ['expo', 'Expo'],
  ['react', 'React'],
  ['@nestjs/core', 'NestJS'],
  ['fastify', 'Fastify'],
  ['hono', 'Hono'],
  ['express', 'Express'],
]
const pythonFrameworks: readonly (readonly [dependency: string, name: string])[] = [
  ['django', 'Django'],
  ['fastapi', 'FastAPI'],
  ['flask', 'Flask'],
]
const pythonManifests = ['pyproject.toml', 'requirements.txt', 'setup.py', 'Pipfile']

export function detectKind(root: string): ProjectKind {
  const has = (name: string) => existsSync(join(root, name))
  const code: { language: CodeLanguage; folder: string }[] = []
  if (has('package.json') || has('deno.json')) {
    code.push({ language: 'typescript', folder: has('src') ? 'src/assay' : 'assay/code' })
  }
  if (pythonManifests.some(has)) code.push({ language: 'python', folder: has('src') ? 'src' : '.' })
  const isSwift = has('Package.swift') || readdirSync(root).some((name) => name.endsWith('.xcodeproj'))
  if (isSwift)
    code.push({ language: 'swift', folder: has('Sources') ? 'Sources/AssayEvents' : 'AssayEvents' })
  return { code, framework: packageFramework(root) ?? pythonFramework(root) }
}

function packageFramework(root: string): string | null {
  const dependencies = packageDependencies(root)
  return packageFrameworks.find(([dependency]) => dependency in dependencies)?.[1] ?? null
}

/** Dependencies of both kinds, with the version in the manifest. */
export function packageDependencies(root: string): Readonly<Record<string, unknown>> {
  const file = join(root, 'package.json')
  if (!existsSync(file)) return {}
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isRecord(manifest)) return {}
    const { dependencies, devDependencies } = manifest
    return { ...(isRecord(devDependencies) && devDependencies), ...(isRecord(dependencies) && dependencies) }
  } catch {
    // A manifest that npm cannot read says nothing about the project.
    return {}
  }
}

function pythonFramework(root: string): string | null {
  const texts = pythonManifests
    .map((name) => join(root, name))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8').toLowerCase())
  const isNamed = (dependency: string) => texts.some((text) => new RegExp(`\\b${dependency}\\b`).test(text))
  return pythonFrameworks.find(([dependency]) => isNamed(dependency))?.[1] ?? null
}
