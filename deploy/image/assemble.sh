#!/bin/sh
# Assembles the file tree of the image in an empty folder: Node with the libraries that it needs, and the built host with
# its production dependencies. The Dockerfile runs this script, and so do the tests. It needs Debian (or another system
# with glibc), Node 20 or newer and npm. To build an image of your own host, set HOST_PACKAGE to the name of its package.
set -eu
cd "$(dirname "$0")/../.."
target=$1
host=${HOST_PACKAGE:-@vertical-kit/demo-host}

if [ -n "$(ls -A "$target" 2>/dev/null)" ]; then
  echo "$target is not empty." >&2
  exit 1
fi
mkdir -p "$target/usr/local/bin" "$target/etc" "$target/tmp"
target=$(cd "$target" && pwd)
chmod 1777 "$target/tmp"

pnpm="npx -y $(node --print "require('./package.json').packageManager")"
[ -d node_modules ] || $pnpm install --frozen-lockfile
TURBO_TELEMETRY_DISABLED=1 $pnpm exec turbo run build --filter "$host" --output-logs=errors-only
# Copies instead of links: a link would share its inode with the store of pnpm. pnpm verifies the metadata of each package
# and fetches what this machine lacks, so `--offline` can fail.
$pnpm --filter "$host" deploy --prod --prefer-offline --config.package-import-method=copy "$target/app"
# Only tools read these files. They are a third of the application.
find "$target/app" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete
rm -rf "$target/app/node_modules/@vertical-kit/"*/src

# The Node version that the repository pins, and the libraries that it loads, at the same paths.
node_binary=$($pnpm exec node --print process.execPath)
install -m 755 "$node_binary" "$target/usr/local/bin/node"
ldd "$node_binary" | grep --only-matching '/[^ ]*' | while read -r library; do
  cp --dereference --parents "$library" "$target"
done
# The names of the user: `os.userInfo` and some libraries look them up.
echo 'app:x:10001:10001::/app:/sbin/nologin' >"$target/etc/passwd"
echo 'app:x:10001:' >"$target/etc/group"
# Files are readable by every user, whatever the umask of the builder.
chmod -R u=rwX,go=rX "$target/app" "$target/etc"
