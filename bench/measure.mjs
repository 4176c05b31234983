/** How long something takes, and the one number that stands for many. */

export async function timed(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

export const median = (values) => quantile(values, 0.5)
export const p99 = (values) => quantile(values, 0.99)

function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)]
}
