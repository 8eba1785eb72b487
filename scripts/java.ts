/** `npm run java`: makes the jar of the Java SDK, for Java 8 and Android, with the JDK alone. */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '..', 'sdk', 'java')

/** Compiles sources of the SDK into a folder. Warnings are errors, but the one that Java 8 is old. */
export function compileJava(sources: 'main' | 'test', target: string, classPath = ''): void {
  mkdirSync(target, { recursive: true })
  const files = globSync('**/*.java', { cwd: join(folder, 'src', sources, 'java') })
  const named = files.toSorted().map((file) => join(folder, 'src', sources, 'java', file))
  const path = classPath === '' ? [] : ['-classpath', classPath]
  const options = ['--release', '8', '-Xlint:all,-options', '-Werror', '-encoding', 'UTF-8']
  execFileSync('javac', [...options, ...path, '-d', target, ...named], { stdio: 'inherit' })
}

/** Answers the path of the jar. */
export function makeJar(directory: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, '..', 'server', 'package.json'), 'utf8'))
  const classes = join(directory, 'classes')
  rmSync(classes, { recursive: true, force: true })
  compileJava('main', classes)
  const jar = join(directory, `assay-java-${version}.jar`)
  // The same sources make the same bytes.
  execFileSync('jar', ['--create', '--file', jar, '--date', '2026-01-01T00:00:00Z', '-C', classes, '.'])
  return jar
}

if (process.argv[1] === import.meta.filename) {
  console.log(makeJar(join(import.meta.dirname, '..', 'dist', 'java')))
}
