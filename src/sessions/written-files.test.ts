import { describe, expect, it } from 'vitest'
import { writtenFiles } from './written-files.ts'

describe('the files that a command plainly writes', () => {
  it.each<[string, string[]]>([
    ['echo hi > a.txt', ['a.txt']],
    ['echo hi >a.txt', ['a.txt']],
    ['echo hi>>src/a.txt', ['src/a.txt']],
    ['make 2> err.log > "out put.log"', ['err.log', 'out put.log']],
    ['make &> all.log', ['all.log']],
    ['make >& all.log', ['all.log']],
    ['make >| a', ['a']],
    ['make > /dev/null 2>&1', []],
    ['make 2>&1 | tee -a log.txt other.txt', ['log.txt', 'other.txt']],
    ['sort < in.txt > out.txt', ['out.txt']],
    ["sed -i 's/a/b/' a.ts b.ts", ['a.ts', 'b.ts']],
    ["sed -i.bak -e 's/a/b/' -e 's/c/d/' a.ts", ['a.ts']],
    ["sed -i '' 's/a/b/' a.ts", ['a.ts']],
    ["sed -Ei 's/a/b/' a.ts", ['a.ts']],
    ["sed --in-place=.bak 's/a/b/' a.ts", ['a.ts']],
    ["sed -n 's/a/b/p' a.ts", []],
    ['mv a.ts b.ts', ['a.ts', 'b.ts']],
    ['mv a.ts b.ts lib/', ['a.ts', 'b.ts', 'lib/a.ts', 'lib/b.ts']],
    ['mv -t lib src/a.ts', ['src/a.ts', 'lib/a.ts']],
    ['cp -r a.ts b.ts', ['b.ts']],
    ['cp x/a.ts lib/', ['lib/a.ts']],
    ['rm -rf a.ts "b c.ts"', ['a.ts', 'b c.ts']],
    ['rm -- -a', ['-a']],
    ['git checkout -- a.ts b.ts', ['a.ts', 'b.ts']],
    ['git checkout HEAD~1 -- a.ts', ['a.ts']],
    ['git checkout main', []],
    ['git checkout .', ['.']],
    ['git checkout ./a.ts', ['a.ts']],
    ['git restore a.ts', ['a.ts']],
    ['git restore --source HEAD~1 a.ts', ['a.ts']],
    ['git restore --staged a.ts', []],
    ['git restore -S -W a.ts', ['a.ts']],
    ['git -C sub checkout -- a.ts', ['sub/a.ts']],
    ['git rm --cached a.ts', []],
    ['cd src && echo > a.ts', ['src/a.ts']],
    ['cd src; cd ../lib; rm a.ts', ['lib/a.ts']],
    ['(cd src && rm a.ts); rm b.ts', ['src/a.ts', 'b.ts']],
    ['cd "$HOME" && rm a.ts', []],
    ['cd "$HOME" && rm /tmp/a.ts', ['/tmp/a.ts']],
    ['true && rm a.ts || rm b.ts', ['a.ts', 'b.ts']],
    ['LANG=C sudo rm a.ts', ['a.ts']],
    ['if true; then rm a.ts; fi', ['a.ts']],
    ['cat a.ts | grep x > b.ts', ['b.ts']],
    ["cat > a.ts <<'EOF'\nrm b.ts\n> c.ts\nEOF\nrm d.ts", ['a.ts', 'd.ts']],
    ['cat <<-EOF > a.ts\n\trm b.ts\n\tEOF\nrm d.ts', ['a.ts', 'd.ts']],
    ['rm a.ts # rm b.ts\nrm c.ts', ['a.ts', 'c.ts']],
    ['rm a.ts \\\n  b.ts', ['a.ts', 'b.ts']],
    ['rm a\\ b.ts', ['a b.ts']],
    ['echo \'a > b\' "c > d"', []],
    ['echo "it\\"s" > a', ['a']],
    ['rm $FILES *.ts src/{a,b}.ts ~/x `ls` $(ls > y) "$x/a"', []],
    ['diff <(sort a) <(sort b) > c', ['c']],
    ['echo $(cat a; echo ")") > b', ['b']],
    ['constructor a b', []],
    ['', []],
    ['rm', []],
    ['>', []],
    ['mv a', []],
    ["echo 'never closed > a", []],
    ['cat <<EOF', []],
  ])('%j: %j', (command, files) => {
    expect(writtenFiles(command).sort()).toEqual(files.sort())
  })

  it('reads ten megabytes of anything, and tells at most a hundred', () => {
    for (const piece of ['a', ' ', '(', '"', "'", '$(', '>', '<<E\n', '\\', 'rm x;', '1']) {
      expect(writtenFiles(piece.repeat(10_000_000 / piece.length)).length).toBeLessThan(2)
    }
    const many = Array.from({ length: 500 }, (_, n) => `f${n}`).join(' ')
    expect(writtenFiles(`rm ${many}`)).toHaveLength(100)
  })
})
