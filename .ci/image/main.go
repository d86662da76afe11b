// Command image writes a container image of bench as an OCI archive, without a container
// engine and from nothing: the static program, its terms and those of what it is made of, and an
// empty folder for its temporary files.
//
//	go -C .ci/image run . OUT.tar VERSION linux/amd64=PATH linux/arm64=PATH
//
// The same programs give the same bytes. It is a module of its own, since modebench itself needs
// no such library.
package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// user is nobody in particular: bench needs no rights.
const user = 65532

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("want OUT.tar VERSION and OS/ARCH=PROGRAM for each platform, got %d arguments", len(args))
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arg := range args[2:] {
		platform, path, ok := strings.Cut(arg, "=")
		system, architecture, both := strings.Cut(platform, "/")
		if !ok || !both {
			return fmt.Errorf("%q: want OS/ARCH=PROGRAM", arg)
		}
		image, err := build(path, args[1], v1.Platform{OS: system, Architecture: architecture})
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: system, Architecture: architecture},
			// Under which name engines load it: Docker reads the second, others the first.
			Annotations: map[string]string{
				"org.opencontainers.image.ref.name": "modebench:" + args[1],
				"io.containerd.image.name":          "docker.io/library/modebench:" + args[1],
			},
		}})
	}
	folder, err := os.MkdirTemp("", "image")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if _, err := layout.Write(folder, index); err != nil {
		return err
	}
	return archive(args[0], folder)
}

func build(program, version string, platform v1.Platform) (v1.Image, error) {
	data, err := files(program)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image, err := mutate.Append(mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1), mutate.Addendum{
		Layer:   layer,
		History: v1.History{CreatedBy: "modebench .ci/release"},
	})
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, config(image, version, platform))
}

func config(image v1.Image, version string, platform v1.Platform) *v1.ConfigFile {
	c, err := image.ConfigFile()
	if err != nil {
		panic(err) // it was made here
	}
	c = c.DeepCopy()
	c.OS, c.Architecture, c.Created = platform.OS, platform.Architecture, v1.Time{Time: time.Unix(0, 0).UTC()}
	c.Config = v1.Config{
		Entrypoint: []string{"/usr/bin/bench"},
		Env:        []string{"PATH=/usr/bin", "HOME=/tmp"}, // base policies are kept below HOME unless MODEBENCH_CACHE says where
		User:       fmt.Sprintf("%d:%d", user, user),
		WorkingDir: "/work",
		Labels: map[string]string{
			"org.opencontainers.image.title":    "modebench",
			"org.opencontainers.image.version":  version,
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return c
}

// files is the file system of the image, as a tar archive.
func files(program string) ([]byte, error) {
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	write := func(h tar.Header, data []byte) {
		h.ModTime, h.Size = time.Unix(0, 0), int64(len(data))
		if err == nil {
			err = w.WriteHeader(&h)
		}
		if err == nil {
			_, err = w.Write(data)
		}
	}
	for _, folder := range []tar.Header{
		{Name: "tmp/", Mode: 0o1777}, {Name: "usr/", Mode: 0o755}, {Name: "usr/bin/", Mode: 0o755}, {Name: "work/", Mode: 0o755, Uid: user, Gid: user},
		{Name: "usr/share/", Mode: 0o755}, {Name: "usr/share/doc/", Mode: 0o755}, {Name: "usr/share/doc/modebench/", Mode: 0o755},
	} {
		folder.Typeflag = tar.TypeDir
		write(folder, nil)
	}
	write(tar.Header{Name: "usr/bin/bench", Typeflag: tar.TypeReg, Mode: 0o755}, data)
	for _, name := range []string{"LICENSE", "THIRD-PARTY.txt"} {
		text, readErr := os.ReadFile(filepath.Join("..", "..", name)) // go -C runs in this folder
		err = cmp.Or(err, readErr)
		write(tar.Header{Name: "usr/share/doc/modebench/" + name, Typeflag: tar.TypeReg, Mode: 0o644}, text)
	}
	err = cmp.Or(err, w.Close()) // which writes the end of the archive
	return out.Bytes(), err
}

func archive(path, folder string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	w := tar.NewWriter(file)
	err = filepath.WalkDir(folder, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, at)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(data)), ModTime: time.Unix(0, 0)}); err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	return w.Close()
}
